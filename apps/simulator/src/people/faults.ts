/** Answers of the platform to a send. `never`: the message arrives, but no ack comes. `lost`: neither. */
export const ACKS = ['auto', 'never', 'lost'] as const;
/** Answers of the platform to a login. `never`: pings are answered, the login is not. */
export const LOGINS = ['auto', 'never'] as const;

/** Faults of messages to the account. `undecryptable`: broken at first. `twice`: two of each. */
export const INBOUND_FAULTS = ['auto', 'undecryptable', 'twice'] as const;

/** Name that stands for all queries but pings, among those that are never answered. */
export const ALL_QUERIES = '*';
const PING = 'w:p';

/** Faults of the platform towards one account. */
export interface Faults {
  ack: (typeof ACKS)[number];
  ackDelayMs: number;
  /** Sends are refused with this code and do not arrive. */
  ackError: number | null;
  /** Number of sends that the three above still concern; without it all of them. */
  count: number | null;
  /** Phones that the three above concern; none means every recipient. */
  recipients: string[];
  /** True when connections stay open, and nothing is read or sent on them. */
  silent: boolean;
  login: (typeof LOGINS)[number];
  /** Logins are refused with this code. */
  loginError: number | null;
  /** Seconds for which such a refusal holds, as it says; null: it does not say. */
  loginExpire: number | null;
  /** Lowest revision with which this account may log in, in place of the one for all; null: that one holds. */
  loginFloor: number | null;
  /** True when nothing is read from the connections nor written to them, not even by the transport itself. */
  blackHole: boolean;
  /** Namespaces of queries that are never answered. */
  unanswered: string[];
  inbound: (typeof INBOUND_FAULTS)[number];
  /** Number of messages to the account that `inbound` still concerns; without it all of them. */
  inboundCount: number | null;
}

export const NO_ACK_FAULT = { ack: 'auto', ackDelayMs: 0, ackError: null, count: null } as const;

export const noFaults = (): Faults => ({
  ...NO_ACK_FAULT,
  recipients: [],
  silent: false,
  login: 'auto',
  loginError: null,
  loginExpire: null,
  loginFloor: null,
  blackHole: false,
  unanswered: [],
  inbound: 'auto',
  inboundCount: null,
});

export type AckFault = Pick<Faults, 'ack' | 'ackDelayMs' | 'ackError'>;

/** Decides the ack of one send; a limited fault is used up by it. */
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

/** Flaws of one stanza on its way to a device. */
export interface StanzaFlaws {
  /** Number of times that it is put on the wire broken, so that the device asks for it again. */
  undecryptable: number;
  /** Number of times that it is put on the wire at first. */
  copies: number;
}

export const isMute = ({ silent, blackHole }: Faults): boolean => silent || blackHole;

export const isUnanswered = ({ unanswered }: Faults, namespace: string): boolean =>
  unanswered.includes(namespace) || (namespace !== PING && unanswered.includes(ALL_QUERIES));
