import { randomBytes } from 'node:crypto';
import type { Person } from '../people/person.js';
import { seconds, SERVER, type Stanza, stanza } from '../wire/nodes.js';
import type { Registration } from './registration.js';

/** A notification to a device that is not linked yet. */
export interface Notice {
  type: string;
  /** Stage of its child where it has one, else its tag. */
  about: string;
  acked: boolean;
}

/** Notices that are kept for each number. */
const MOST = 100;

/** This class sends notifications to devices that are not linked yet, and notes which of them were acknowledged. */
export class Notices {
  private readonly byPhone = new Map<string, Notice[]>();
  private readonly byId = new Map<string, Notice>();

  /** Sends a notification about the linking of a number; it has one child, or none. */
  send({ phone }: Person, { connection }: Registration, type: string, child?: Stanza): Notice {
    const id = randomBytes(8).toString('hex');
    const notice = { type, about: child?.attrs.stage ?? child?.tag ?? 'nothing', acked: false };
    this.byId.set(id, notice);
    this.byPhone.set(phone, [...this.of(phone), notice].slice(-MOST));
    connection.send(stanza('notification', { type, id, from: SERVER, t: seconds() }, child ? [child] : []));
    return notice;
  }

  /** Takes an acknowledgement; one with an error counts for nothing. */
  acknowledge({ attrs }: Stanza): void {
    const notice = this.byId.get(attrs.id ?? '');
    if (!notice || attrs.error !== undefined || attrs.class !== 'notification') return;
    notice.acked = attrs.type === notice.type;
    this.byId.delete(attrs.id ?? '');
  }

  /** Lists the notifications about the linking of a number, in order. */
  of(phone: string): Notice[] {
    return this.byPhone.get(phone) ?? [];
  }

  clear(): void {
    this.byPhone.clear();
    this.byId.clear();
  }
}
