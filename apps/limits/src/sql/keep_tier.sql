-- Keeps what a session's number has reached, by tenant and number, and gives it to every session that the number is linked to. Of two tiers
-- the higher one holds, of equal ones the one that has held for longer.
CREATE OR REPLACE FUNCTION keep_tier(p_session uuid) RETURNS void LANGUAGE sql AS $body$
  INSERT INTO number_tier AS kept (tenant_id, phone, tier, tier_since)
    SELECT l.tenant_id, l.phone, w.tier, w.tier_since FROM linked_number l JOIN warmup w USING (session_id)
    WHERE l.session_id = p_session
    ON CONFLICT (tenant_id, phone) DO UPDATE SET tier = excluded.tier, tier_since = excluded.tier_since
      WHERE kept.tier < excluded.tier OR kept.tier = excluded.tier AND kept.tier_since > excluded.tier_since;
  INSERT INTO warmup (session_id, tenant_id, tier, tier_since)
    SELECT other.session_id, n.tenant_id, n.tier, n.tier_since
    FROM linked_number own JOIN number_tier n USING (tenant_id, phone) JOIN linked_number other USING (tenant_id, phone)
    WHERE own.session_id = p_session
    ORDER BY other.session_id
    ON CONFLICT (session_id) DO UPDATE SET tier = excluded.tier, tier_since = excluded.tier_since
      WHERE warmup.tier < excluded.tier OR warmup.tier = excluded.tier AND warmup.tier_since > excluded.tier_since;
$body$;
