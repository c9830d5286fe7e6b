/** What the platform says to a send. `never`: the message arrives, but no ack comes. `lost`: neither. */
export const ACKS = ['auto', 'never', 'lost'] as const;
/** What the platform says to a login. `never`: pings are answered, the login is not. */
export const LOGINS = ['auto', 'never'] as const;

/** What becomes of messages to the account. `undecryptable`: broken at first. `twice`: two of each. */
export const INBOUND_FAULTS = ['auto', 'undecryptable', 'twice'] as const;

/** All queries but pings, among those that are never answered. */
export const ALL_QUERIES = '*';
const PING = 'w:p';

/** How the platform misbehaves towards one account. */
export interface Faults {
  ack: (typeof ACKS)[number];
  ackDelayMs: number;
  /** Sends are refused with this code and do not arrive. */
  ackError: number | null;
  /** How many sends the three above still concern; without a number all of them. */
  count: number | null;
  /** Phones that the three above concern; none means every recipient. */
  recipients: string[];
  /** Connections stay open, and nothing is heard or said on them. */
  silent: boolean;
  login: (typeof LOGINS)[number];
  /** Logins are refused with this code. */
  loginError: number | null;
  /** Nothing is read from the connections nor written to them, not even what the transport itself says. */
  blackHole: boolean;
  /** Namespaces of queries that are never answered. */
  unanswered: string[];
  inbound: (typeof INBOUND_FAULTS)[number];
  /** How many messages to the account `inbound` still concerns; without a number all of them. */
  inboundCount: number | null;
}

export const NO_ACK_FAULT = { ack: 'auto', ackDelayMs: 0, ackError: null, count: null } as const;

export const noFaults = (): Faults => ({
  ...NO_ACK_FAULT,
  recipients: [],
  silent: false,
  login: 'auto',
  loginError: null,
  blackHole: false,
  unanswered: [],
  inbound: 'auto',
  inboundCount: null,
});

export type AckFault = Pick<Faults, 'ack' | 'ackDelayMs' | 'ackError'>;

/** Decides what becomes of one send; a limited fault is used up by it. */
export function takeAckFault(faults: Faults, recipient: string | undefined): AckFault {
  const { ack, ackDelayMs, ackError, count, recipients } = faults;
  if (recipients.length > 0 && !recipients.includes(recipient ?? '')) return NO_ACK_FAULT;
  if (count !== null) faults.count = count - 1;
  if (faults.count === 0) Object.assign(faults, NO_ACK_FAULT, { recipients: [] });
  return { ack, ackDelayMs, ackError };
}

/** Decides how one message to the account is broken; a limited fault is used up by it. */
export function takeInboundFault(faults: Faults): StanzaFlaws {
  const { inbound, inboundCount } = faults;
  if (inbound !== 'auto' && inboundCount !== null) faults.inboundCount = inboundCount - 1;
  if (faults.inboundCount === 0) Object.assign(faults, { inbound: 'auto', inboundCount: null });
  return { undecryptable: inbound === 'undecryptable' ? 1 : 0, copies: inbound === 'twice' ? 2 : 1 };
}

/** What is wrong with one stanza on its way to a device. */
export interface StanzaFlaws {
  /** How often it is put on the wire broken, so that the device asks for it again. */
  undecryptable: number;
  /** How often it is put on the wire at first. */
  copies: number;
}

export const isMute = ({ silent, blackHole }: Faults): boolean => silent || blackHole;

export const isUnanswered = ({ unanswered }: Faults, namespace: string): boolean =>
  unanswered.includes(namespace) || (namespace !== PING && unanswered.includes(ALL_QUERIES));
