/** The kind of an address: of a person by the phone number, of a person whose number the platform hides, or of several people. */
export type AddressKind = keyof typeof ADDRESS_DOMAINS;

/** Domains behind the `@`, by kind of address. */
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
  /** Number of a person's device; 0: the phone itself, or no device in particular. */
  readonly device: number;
  /** Number of an agent, which some stanzas have between user and device. */
  readonly agent?: number;
}

const KINDS = new Map<string, AddressKind>([
  ...Object.entries(ADDRESS_DOMAINS).map(([kind, domain]) => [domain, kind as AddressKind] as const),
  // Older parts of the platform write this domain.
  ['c.us', 'phone'],
  // This domain is of devices that a provider keeps for a business.
  ['hosted', 'phone'],
  ['hosted.lid', 'hidden'],
]);
const PERSON = /^(?<user>\d{1,20})(?:_(?<agent>\d{1,3}))?(?::(?<device>\d{1,5}))?$/;
/** Form of a group's user; older groups carry the number of their founder. */
const GROUP = /^(?<user>\d{1,25}(?:-\d{1,20})?)$/;
const USERS: Record<AddressKind, RegExp> = {
  phone: PERSON,
  hidden: PERSON,
  group: GROUP,
  newsletter: /^(?<user>\d{1,25})$/,
  broadcast: /^(?<user>status|\d{1,25})$/,
};
/** Forms of real addresses, by kind. */
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

/**
 * Says whether user and domain are as those of real chats, and nothing stands between them: a caller may name a chat by such an address.
 */
export function isUsual({ kind, user, agent }: Address): boolean {
  return agent === undefined && (USUAL[kind]?.test(user) ?? false);
}

/** Makes the address of a number, or of one of its devices. */
export function phoneAddress(digits: string, device = 0): string {
  return formatAddress({ kind: 'phone', user: digits, device });
}

/** Makes the address that hides a number, or one of its devices. */
export function hiddenAddress(user: string, device = 0): string {
  return formatAddress({ kind: 'hidden', user, device });
}

/** Reads the address without device and agent; undefined for what is none of the platform. */
export function bareAddress(text: string | undefined): string | undefined {
  const address = parseAddress(text);
  return address && formatAddress({ ...address, device: 0 });
}

/** Says whether the text is the address of a group. */
export function isGroup(text: string | undefined): boolean {
  return parseAddress(text)?.kind === 'group';
}

/** Says whether the text is the address of a person, by number or hidden. */
export function isPerson(text: string | undefined): boolean {
  const kind = parseAddress(text)?.kind;
  return kind === 'phone' || kind === 'hidden';
}

/** Says whether the text is an address that hides the number of a person. */
export function isHidden(text: string | undefined): boolean {
  return parseAddress(text)?.kind === 'hidden';
}

/** Reads the number of a phone address, in digits; undefined for every other address. */
export function digitsOf(text: string | undefined): string | undefined {
  const address = parseAddress(text);
  return address?.kind === 'phone' ? address.user : undefined;
}

/** Reads the number of a phone address in E.164 form; null for every other address. */
export function phoneOf(text: string | undefined): string | null {
  const digits = digitsOf(text);
  return digits === undefined ? null : `+${digits}`;
}
