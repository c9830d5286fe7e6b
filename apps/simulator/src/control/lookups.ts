import type { Person } from '../people/person.js';
import type { Platform } from '../platform.js';
import { Refusal } from '../http/refusal.js';

export function accountOf({ population }: Platform, phone: string): Person {
  const person = population.get(phone);
  if (person?.isAccount) return person;
  throw new Refusal(404, 'ACCOUNT_NOT_FOUND', `there is no account with the phone ${phone}`);
}

/** A body is an instance of its class, which has every field; here are those that were sent. */
export const given = <T extends object>(body: T): Partial<T> =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)) as Partial<T>;
