import { randomUUID } from 'node:crypto';
import type { WebhookReceiver } from '@svc/testing';
import pg from 'pg';
import { type Actor, inventPhone } from '../../stack/actor.js';
import { deliveriesByFact } from '../../load/webhook-facts.js';

/** Outcome of texts that contacts wrote all at once. */
export interface BurstFigures {
  written: number;
  /** Texts that the receiver has not. */
  lost: number;
  /** Texts that came as two events. */
  twice: number;
  notInJournal: number;
}

/** Bursts of texts, each from contacts of all sessions at once. */
export class Bursts {
  private readonly contacts: string[];
  /** Texts by the key id that the platform gave them. */
  private readonly texts = new Map<string, string>();

  constructor(
    private readonly actors: readonly Actor[],
    private readonly receiver: WebhookReceiver,
  ) {
    this.contacts = actors.map(inventPhone);
  }

  /** Has each contact write so many texts; resolves when the platform has them all. */
  async write(each: number): Promise<void> {
    const texts = Array.from({ length: each }, () => `burst ${randomUUID()}`);
    await Promise.all(texts.flatMap((text) => this.actors.map((actor, n) => this.writeOne(actor, n, text))));
  }

  /** Counts the texts that the receiver has not, without a look at the journal. */
  missing(): number {
    const deliveries = deliveriesByFact(this.receiver);
    return [...this.texts.values()].filter((text) => !deliveries.has(`message.received ${text}`)).length;
  }

  async count(): Promise<BurstFigures> {
    const deliveries = deliveriesByFact(this.receiver);
    const idsOf = (text: string): Set<string> =>
      new Set(deliveries.get(`message.received ${text}`)?.map(({ deliveryId }) => deliveryId));
    return {
      written: this.texts.size,
      lost: this.missing(),
      twice: [...this.texts.values()].filter((text) => idsOf(text).size > 1).length,
      notInJournal: this.texts.size - (await this.inJournal()),
    };
  }

  private async writeOne({ stack, phone }: Actor, n: number, words: string): Promise<void> {
    const text = `${words} to ${phone}`;
    const path = `/contacts/${this.contacts[n]}/messages`;
    const { id } = await stack.platform<{ id: string }>('POST', path, { to: phone, text });
    this.texts.set(id, text);
  }

  private async inJournal(): Promise<number> {
    const client = new pg.Client((this.actors[0] as Actor).stack.file.postgres);
    await client.connect();
    try {
      const sql = 'SELECT key_id FROM sessions.inbound_message WHERE key_id = ANY($1::text[])';
      return (await client.query(sql, [[...this.texts.keys()]])).rowCount ?? 0;
    } finally {
      await client.end();
    }
  }
}
