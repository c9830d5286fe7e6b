import type { Call } from '../../delivery/calls.js';
import type { Platform } from '../../platform.js';
import { accountOf } from '../lookups.js';
import type { PlaceCall } from './call-bodies.js';

/** Lets a contact call an account. @throws Refusal where there is no such account. */
export function placeCall(platform: Platform, phone: string, body: PlaceCall): Call {
  const account = accountOf(platform, body.to);
  const caller = platform.population.ensureContact(phone);
  const { video = false, group, addressing = 'lid', answersReject = true } = body;
  return platform.calls.ring(caller, account, { video, group, addressing, answersReject });
}
