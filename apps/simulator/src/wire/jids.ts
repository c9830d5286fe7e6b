/** The server's own address; compared literally by the client. */
export const SERVER = '@s.whatsapp.net';

export const PHONE_DOMAIN = 's.whatsapp.net';
export const LID_DOMAIN = 'lid';

/** An address taken apart; device 0 is the phone itself. */
export interface Address {
  user: string;
  device: number;
  domain: string;
}

const withDevice = (user: string, device: number): string => (device === 0 ? user : `${user}:${device}`);

export const phoneJid = (phone: string, device = 0): string => `${withDevice(phone, device)}@${PHONE_DOMAIN}`;

export const lidJid = (lid: string, device = 0): string => `${withDevice(lid, device)}@${LID_DOMAIN}`;

export function parseJid(jid: string | undefined): Address | undefined {
  const match = /^(\d{1,20})(?:_\d+)?(?::(\d{1,5}))?@([a-z.]+)$/.exec(jid ?? '');
  if (!match?.[1] || !match[3]) return undefined;
  return { user: match[1], device: Number(match[2] ?? 0), domain: match[3] };
}

/** The address without its device. */
export const bareJid = (address: Address): string => `${address.user}@${address.domain}`;
