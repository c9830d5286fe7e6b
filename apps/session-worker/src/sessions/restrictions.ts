import type { RestrictionReason, SessionRestriction } from '@svc/contracts';
import type { PlatformRestriction } from '../platform/port.js';

/** Time that a restriction counts whose end the platform does not give, from its last sign on, in ms. */
export const DEFAULT_RESTRICTION_MS = 24 * 3_600_000;

/** Restrictions of beginning new chats, by reason; times in ISO 8601, by the server's clock. */
export type Restrictions = { readonly [R in RestrictionReason]?: { since: string; until: string } };

/** Sums up the restrictions of this moment: the one that ends last, since the first of them began. Null: none. */
export function restrictionAt(
  restrictions: Restrictions,
  now: number,
): (SessionRestriction & { since: string }) | null {
  const active = (Object.keys(restrictions) as RestrictionReason[]).flatMap((reason) => {
    const times = restrictions[reason];
    return times && Date.parse(times.until) > now ? [{ reason, ...times }] : [];
  });
  const [last] = active.sort((a, b) => Date.parse(b.until) - Date.parse(a.until));
  const [first] = active.map(({ since }) => since).sort();
  return last && first ? { ...last, since: first } : null;
}

/** Applies what the platform says to the restrictions; the same object where nothing has changed. */
export function restrictionsAfter(
  restrictions: Restrictions,
  { reason, isActive, until }: PlatformRestriction,
  now: number,
): Restrictions {
  const { [reason]: before, ...others } = restrictions;
  const end = until?.getTime() ?? now + DEFAULT_RESTRICTION_MS;
  if (!isActive || end <= now) return before ? others : restrictions;
  const times = { since: new Date(now).toISOString(), until: new Date(end).toISOString() };
  if (!before || Date.parse(before.until) <= now) return { ...others, [reason]: times };
  if (before.until === times.until) return restrictions;
  return { ...others, [reason]: { ...times, since: before.since } };
}
