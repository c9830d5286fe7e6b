import { waitFor } from '@svc/testing';
import { type Actor, type InboxItem, inventPhone } from '../../../stack/actor.js';

const LIMIT_MS = 60_000;

/** A text that a contact has received, with its time on the platform. */
export interface TimedItem extends InboxItem {
  receivedAt: string;
}

/** A question that a contact asks. */
export class Question {
  constructor(
    readonly actor: Actor,
    readonly text: string,
    readonly contact = inventPhone(),
  ) {}

  /** Asks it; the platform has it when this resolves. */
  ask(): Promise<void> {
    return this.actor.write(this.contact, this.text);
  }

  /** Waits until the session has it. */
  async arrived(): Promise<void> {
    const path = `/contacts/${this.contact}/sent?to=${this.actor.phone}`;
    const has = async (): Promise<boolean> => {
      const { items } = await this.actor.stack.platform<{ items: { status: string }[] }>('GET', path);
      return items.every(({ status }) => status === 'DELIVERED' || status === 'READ');
    };
    await waitFor(`the session to have ${this.text}`, has, LIMIT_MS);
  }

  /** Reads what the contact has from the session, in the order in which it came. */
  async inbox(): Promise<TimedItem[]> {
    return (await this.actor.inbox(this.contact)) as TimedItem[];
  }

  /** Says whether a text is a part of the answer. */
  isAnswer({ text }: InboxItem): boolean {
    return text === `First to ${this.text}` || text === `Second to ${this.text}`;
  }
}
