/** The kind of an address: of a person by the phone number, of a person whose number the platform hides, or of several people. */
export type AddressKind = keyof typeof ADDRESS_DOMAINS;

/** What stands behind the `@`, by kind. */
export const ADDRESS_DOMAINS = {
  phone: 's.whatsapp.net',
  hidden: 'lid',
  group: 'g.us',
  newsletter: 'newsletter',
  broadcast: 'broadcast',
} as const;

/** An address of the platform, taken apart. */
export interface Address {
  readonly kind: AddressKind;
  /** The part before the `@`, without agent and device: of a phone address the digits of the number. */
  readonly user: string;
  /** One of the devices of a person; 0: the phone itself, or no device in particular. */
  readonly device: number;
  /** Some stanzas name one between user and device. */
  readonly agent?: number;
}

const KINDS = new Map<string, AddressKind>([
  ...Object.entries(ADDRESS_DOMAINS).map(([kind, domain]) => [domain, kind as AddressKind] as const),
  // As older parts of the platform write it.
  ['c.us', 'phone'],
  // Of devices that a provider keeps for a business.
  ['hosted', 'phone'],
  ['hosted.lid', 'hidden'],
]);
const PERSON = /^(?<user>\d{1,20})(?:_(?<agent>\d{1,3}))?(?::(?<device>\d{1,5}))?$/;
/** Older groups carry the number of their founder. */
const GROUP = /^(?<user>\d{1,25}(?:-\d{1,20})?)$/;
const USERS: Record<AddressKind, RegExp> = {
  phone: PERSON,
  hidden: PERSON,
  group: GROUP,
  newsletter: /^(?<user>\d{1,25})$/,
  broadcast: /^(?<user>status|\d{1,25})$/,
};
/** As long as real ones are. */
const USUAL: Partial<Record<AddressKind, RegExp>> = {
  phone: /^\d{7,15}$/,
  hidden: /^\d{5,20}$/,
  group: /^\d{5,25}(-\d{5,20})?$/,
};

/** Takes an address apart, whichever of its domains it has; undefined for what is none of the platform. */
export function parseAddress(text = ''): Address | undefined {
  const at = text.lastIndexOf('@');
  const kind = KINDS.get(text.slice(at + 1));
  if (at < 0 || !kind) return undefined;
  const { user, agent, device } = USERS[kind].exec(text.slice(0, at))?.groups ?? {};
  if (user === undefined) return undefined;
  return { kind, user, device: Number(device ?? 0), ...(agent ? { agent: Number(agent) } : {}) };
}

/** Writes an address; its agent is left out, and device 0 is. */
export function formatAddress({ kind, user, device }: Omit<Address, 'agent'>): string {
  return `${user}${device > 0 ? `:${device}` : ''}@${ADDRESS_DOMAINS[kind]}`;
}

/** Whether user and domain are as those of real chats, and nothing stands between them: what a caller may name a chat by. */
export function isUsual({ kind, user, agent }: Address): boolean {
  return agent === undefined && (USUAL[kind]?.test(user) ?? false);
}

/** The address of a number, or of one of its devices. */
export function phoneAddress(digits: string, device = 0): string {
  return formatAddress({ kind: 'phone', user: digits, device });
}

/** The address that hides a number, or one of its devices. */
export function hiddenAddress(user: string, device = 0): string {
  return formatAddress({ kind: 'hidden', user, device });
}

/** The address without device and agent; undefined for what is none of the platform. */
export function bareAddress(text: string | undefined): string | undefined {
  const address = parseAddress(text);
  return address && formatAddress({ ...address, device: 0 });
}

/** Whether it is the address of a group. */
export function isGroup(text: string | undefined): boolean {
  return parseAddress(text)?.kind === 'group';
}

/** Whether it is the address of a person, by number or hidden. */
export function isPerson(text: string | undefined): boolean {
  const kind = parseAddress(text)?.kind;
  return kind === 'phone' || kind === 'hidden';
}

/** Whether it is an address that hides the number of a person. */
export function isHidden(text: string | undefined): boolean {
  return parseAddress(text)?.kind === 'hidden';
}

/** The number of a phone address, in digits; undefined for every other address. */
export function digitsOf(text: string | undefined): string | undefined {
  const address = parseAddress(text);
  return address?.kind === 'phone' ? address.user : undefined;
}

/** The number of a phone address in E.164 form; null for every other address. */
export function phoneOf(text: string | undefined): string | null {
  const digits = digitsOf(text);
  return digits === undefined ? null : `+${digits}`;
}
