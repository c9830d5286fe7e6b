-- Counts what has become of a message. What is told again, or late, changes nothing. The unit of what went out is used for good.
CREATE OR REPLACE FUNCTION record_progress(p_job uuid, p_progress integer, p_contact text) RETURNS void LANGUAGE plpgsql AS $body$
DECLARE
  v_found reservation;
BEGIN
  SELECT * INTO v_found FROM reservation WHERE job_id = p_job FOR UPDATE;
  IF NOT FOUND OR v_found.progress >= p_progress THEN RETURN; END IF;
  UPDATE reservation SET progress = p_progress, state = CASE state WHEN 'held' THEN 'settled' ELSE state END
    WHERE job_id = p_job;
  INSERT INTO warmup_day AS counted (session_id, day, sent, delivered, failed) VALUES (
      v_found.session_id, v_found.day, (v_found.progress = 0)::int, (p_progress = 2)::int, (p_progress = 3)::int)
    ON CONFLICT (session_id, day) DO UPDATE SET sent = counted.sent + excluded.sent,
      delivered = counted.delivered + excluded.delivered, failed = counted.failed + excluded.failed;
  IF p_progress < 3 THEN
    INSERT INTO warmup_contact (session_id, contact, sent_at)
      VALUES (v_found.session_id, hashtextextended(p_contact, 0), svc_now(v_found.tenant_id))
      ON CONFLICT (session_id, contact) DO UPDATE SET sent_at = excluded.sent_at;
  END IF;
END $body$;
