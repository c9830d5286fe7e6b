/** What the platform says to a send. `never`: the message arrives, but no ack comes. `lost`: neither. */
export const ACKS = ['auto', 'never', 'lost'] as const;
/** What the platform says to a login. `never`: pings are answered, the login is not. */
export const LOGINS = ['auto', 'never'] as const;

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
}

const NO_ACK_FAULT = { ack: 'auto', ackDelayMs: 0, ackError: null, count: null } as const;

export const noFaults = (): Faults => ({
  ...NO_ACK_FAULT,
  recipients: [],
  silent: false,
  login: 'auto',
  loginError: null,
});

export type AckFault = Pick<Faults, 'ack' | 'ackDelayMs' | 'ackError'>;

/** What becomes of one send; a limited fault is used up by it. */
export function takeAckFault(faults: Faults, recipient: string | undefined): AckFault {
  const { ack, ackDelayMs, ackError, count, recipients } = faults;
  if (recipients.length > 0 && !recipients.includes(recipient ?? '')) return NO_ACK_FAULT;
  if (count !== null) faults.count = count - 1;
  if (faults.count === 0) Object.assign(faults, NO_ACK_FAULT, { recipients: [] });
  return { ack, ackDelayMs, ackError };
}
