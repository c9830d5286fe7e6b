import type { Person } from '../people/person.js';
import type { Platform } from '../platform.js';
import { Refusal } from '../http/refusal.js';

/** Finds the account with a phone. @throws Refusal where there is none */
export function accountOf({ population }: Platform, phone: string): Person {
  const person = population.get(phone);
  if (person?.isAccount) return person;
  throw new Refusal(404, 'ACCOUNT_NOT_FOUND', `there is no account with the phone ${phone}`);
}
