import type { Scope } from '@svc/contracts';
import { covers } from '../auth/authorization.js';

/** Scopes and end of a key; null: without end. */
export interface KeyRights {
  scopes: readonly Scope[];
  end: Date | null;
}

/** Says whether a key may do less than another, or for a shorter time. */
export function isNarrower(one: KeyRights, other: KeyRights): boolean {
  return !covers(one.scopes, other.scopes) || !lasts(one.end, other.end);
}

/** Says whether an end is not before another. */
export function lasts(end: Date | null, other: Date | null): boolean {
  return end === null || (other !== null && end >= other);
}
