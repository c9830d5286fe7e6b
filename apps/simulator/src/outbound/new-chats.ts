import { isGroup } from '@svc/contracts';
import type { Person } from '../people/person.js';
import type { Population } from '../people/population.js';
import { notifyNewChats } from '../people/restriction-notices.js';
import { newChatsOf, refusesNewChats } from '../people/restrictions.js';

/** This class refuses or counts the first messages of accounts to people. */
export class NewChats {
  constructor(private readonly population: Population) {}

  /** Says whether a message would begin a chat that the account may not begin; one that it may begin is counted. */
  refuses(account: Person, to: string | undefined): boolean {
    const { restrictions } = account;
    if (!restrictions.timelock && !restrictions.newChats) return false;
    // The address of a group belongs to no person.
    const contact = this.population.find(to)?.person;
    if (!contact || contact === account || haveTalked(account, contact)) return false;
    if (refusesNewChats(restrictions)) return true;
    this.count(account);
    return false;
  }

  private count(account: Person): void {
    const cap = newChatsOf(account.restrictions);
    if (!cap) return;
    account.restrictions.newChats = { ...cap, used: cap.used + 1 };
    this.population.touch(account);
    notifyNewChats(account);
  }
}

function haveTalked(account: Person, contact: Person): boolean {
  const wroteTo = (from: Person, to: Person): boolean =>
    to.received.some((message) => message.from === from.phone && !isGroup(message.address));
  if (wroteTo(account, contact) || wroteTo(contact, account)) return true;
  return [...contact.sent.values()].some(({ to }) => to === account.phone);
}
