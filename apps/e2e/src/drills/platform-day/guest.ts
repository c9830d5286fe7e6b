import type { Talker } from '../../load/load.js';
import type { Actor } from '../../stack/actor.js';
import type { Answer, Stack } from '../../stack/stack.js';
import type { Cohort } from './cohorts.js';

/** A linked number of a cohort, which talks with its contacts as they do there. */
export class Guest implements Talker {
  /** Phones of those that have written to it. */
  readonly contacts = new Set<string>();

  constructor(
    readonly actor: Actor,
    readonly cohort: Cohort,
  ) {}

  get stack(): Stack {
    return this.actor.stack;
  }

  /** Answers a contact under the address that its messages come from. */
  async send(to: string, text: string, clientMessageId?: string): Promise<Answer> {
    if (!this.cohort.isHidden) return this.actor.send(to, text, clientMessageId);
    const { lid } = await this.stack.platform<{ lid: string }>('GET', `/contacts/${to}`);
    const { sessionId } = this.actor;
    return this.actor.api('POST', '/v1/messages', { sessionId, to: lid, text, clientMessageId });
  }

  async write(contact: string, text: string): Promise<void> {
    this.contacts.add(contact);
    const body = { to: this.actor.phone, ...(this.cohort.written?.(text) ?? { text }) };
    await this.stack.platform('POST', `/contacts/${contact}/messages`, body);
  }

  sendFile(to: string, caption: string, clientMessageId: string): Promise<Answer> {
    return this.actor.sendFile(to, caption, clientMessageId);
  }

  writeFile(contact: string, caption: string): Promise<void> {
    return this.actor.writeFile(contact, caption);
  }
}
