import { formatAddress } from '@svc/contracts';
import type { Person } from './person.js';

/** Group: several people in one chat. */
export interface Group {
  jid: string;
  subject: string;
  members: Person[];
  createdAt: Date;
}

/** First number of a group, as long as the numbers of real groups. */
const FIRST_NUMBER = 120_363_000_000_000_001n;

/** This class holds all groups, which do not outlive a restart. */
export class Groups {
  private readonly byJid = new Map<string, Group>();

  create(subject: string, members: Person[]): Group {
    const number = FIRST_NUMBER + BigInt(this.byJid.size);
    const jid = formatAddress({ kind: 'group', user: String(number), device: 0 });
    const group = { jid, subject, members: [...new Set(members)], createdAt: new Date() };
    this.byJid.set(jid, group);
    return group;
  }

  find(jid: string | undefined): Group | undefined {
    return this.byJid.get(jid ?? '');
  }

  all(): Group[] {
    return [...this.byJid.values()];
  }

  clear(): void {
    this.byJid.clear();
  }
}
