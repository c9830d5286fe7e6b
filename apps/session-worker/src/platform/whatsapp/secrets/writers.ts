import { isHidden } from '@svc/contracts';
import { log } from '@svc/service';
import type { AuthenticationCreds, SignalRepositoryWithLIDStore } from '@whiskeysockets/baileys';
import type { AddressBook } from '../stanzas/address-book.js';
import { addressOf, isOwn } from '../stanzas/jids.js';
import type { Stanza } from '../stanzas/stanzas.js';

/** Attributes of a stanza that name its writer once more, by the other address. */
const OTHER_NAMES = ['participant_pn', 'participant_lid', 'sender_pn', 'sender_lid'] as const;

/** Says whether the own number wrote a stanza. */
export function isOwnStanza(stanza: Stanza, credentials: AuthenticationCreds): boolean {
  return isOwn(writerOf(stanza), credentials);
}

/** Lists the addresses of who wrote a stanza: the one that it comes from, and the other one where anybody knows it. */
export async function writersOf(stanza: Stanza, { credentials, repository }: AddressBook): Promise<string[]> {
  const writer = writerOf(stanza);
  if (isOwn(writer, credentials)) return ownAddresses(credentials);
  const named = OTHER_NAMES.map((name) => addressOf(stanza.attrs[name]));
  return addressesOf([writer, ...named], repository);
}

/** Lists the addresses of the own number. */
export function ownAddresses({ me }: AuthenticationCreds): string[] {
  return distinct([addressOf(me?.id), addressOf(me?.lid)]);
}

/** Completes the addresses of a person by the other one, where only one is known. */
export async function addressesOf(
  known: string[],
  { lidMapping }: SignalRepositoryWithLIDStore,
): Promise<string[]> {
  const addresses = distinct(known);
  const [address] = addresses;
  if (address === undefined || addresses.length > 1) return addresses;
  try {
    const other = isHidden(address)
      ? await lidMapping.getPNForLID(address)
      : await lidMapping.getLIDForPN(address);
    return distinct([address, addressOf(other ?? undefined)]);
  } catch (error) {
    log().warn({ err: error }, 'the other address of a person cannot be looked up');
    return addresses;
  }
}

const writerOf = ({ attrs }: Stanza): string => addressOf(attrs['participant']) || addressOf(attrs['from']);

const distinct = (addresses: string[]): string[] => [...new Set(addresses.filter((one) => one !== ''))];
