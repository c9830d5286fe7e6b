import { type OutboundContent, phoneAddress } from '@svc/contracts';

/** Lists the addresses of the persons that a content names: of those mentioned, and of the one on a contact card. */
export function personsIn({ mentions = [], contact }: OutboundContent): string[] {
  const card = contact ? [phoneAddress(contact.phone.replaceAll(/\D/g, ''))] : [];
  return [...new Set([...mentions, ...card])];
}
