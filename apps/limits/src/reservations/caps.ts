import { type DayOf, PLAN_CAPS } from '@svc/contracts';

/** Messages a tenant may send per UTC day; null for the vendor's own tenant: exempt, still counted. */
export function planCap({ plan, internal }: Pick<DayOf, 'plan' | 'internal'>): number | null {
  return internal ? null : PLAN_CAPS[plan];
}
