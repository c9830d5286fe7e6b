import type { AckFault } from './faults.js';
import type { Behaviour, Person } from './person.js';

/** A recipient of the sandbox with whom a send always ends in the same way. */
export interface MagicNumber {
  /** Phone with the area code 555, which no person has. */
  phone: string;
  /** Outcome of a message to it, as its sender sees it. */
  outcome: string;
  registered?: false;
  behaviour?: Partial<Behaviour>;
  ack?: Partial<AckFault>;
  /** True when the phone of its sender removes the linked devices. */
  unlinks?: true;
}

/** The platform's code for a message that it does not take. */
const NOT_ACCEPTABLE = 406;
const SLOW_MS = 10_000;

export const MAGIC_NUMBERS: readonly MagicNumber[] = [
  { phone: '15550100001', outcome: 'SENT, DELIVERED' },
  { phone: '15550100002', outcome: 'SENT, DELIVERED, READ', behaviour: { read: 'auto' } },
  { phone: '15550100003', outcome: 'FAILED, NOT_ON_PLATFORM', registered: false },
  { phone: '15550100004', outcome: 'FAILED, REJECTED_BY_PLATFORM', ack: { ackError: NOT_ACCEPTABLE } },
  { phone: '15550100005', outcome: 'SENT after ten seconds, DELIVERED', ack: { ackDelayMs: SLOW_MS } },
  {
    phone: '15550100006',
    outcome: 'FAILED, NO_ACK, after a minute or so; the session is DEGRADED meanwhile',
    ack: { ack: 'lost' },
  },
  { phone: '15550100007', outcome: 'the session is LOGGED_OUT; FAILED, SESSION_LOGGED_OUT', unlinks: true },
  { phone: '15550100008', outcome: 'SENT, never DELIVERED', behaviour: { delivered: 'never' } },
];

const BY_PHONE = new Map(MAGIC_NUMBERS.map((number) => [number.phone, number]));

export const magicNumber = (phone: string | undefined): MagicNumber | undefined =>
  phone === undefined ? undefined : BY_PHONE.get(phone);

/** Gives a new person the behaviour of its magic number. */
export function applyMagicNumber(person: Person): void {
  const magic = magicNumber(person.phone);
  if (!magic) return;
  person.registered = magic.registered ?? true;
  Object.assign(person.behaviour, magic.behaviour);
}
