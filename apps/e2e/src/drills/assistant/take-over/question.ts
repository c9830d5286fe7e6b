import { type Actor, type InboxItem, inventPhone } from '../../../stack/actor.js';

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

  /** Reads what the contact has from the session, in the order in which it came. */
  async inbox(): Promise<TimedItem[]> {
    return (await this.actor.inbox(this.contact)) as TimedItem[];
  }

  /** Says whether a text is a part of the answer. */
  isAnswer({ text }: InboxItem): boolean {
    return text === `First to ${this.text}` || text === `Second to ${this.text}`;
  }
}
