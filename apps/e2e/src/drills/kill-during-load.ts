import { randomUUID } from 'node:crypto';
import { waitFor, type WebhookReceiver } from '@svc/testing';
import { type Actor, inventPhone } from '../actor.js';

const CLIENTS = 4;
const CONTACTS = 5;
/** How far the contacts may be ahead of the clients, in parts of the whole: what is killed is in the middle of both. */
const LEAD = 0.15;
const SETTLE_LIMIT_MS = 90_000;

/** What one kill did, counted at the simulator and at the receiver. */
export interface KillFigures {
  /** Sends accepted when it came; null: it never came, because too few were. */
  killedAfter: number | null;
  /** From the kill until one send and one inbound text that began after it had been told to the receiver. */
  recoveredMs: number | null;
  accepted: number;
  /** Texts that contacts wrote. */
  written: number;
  lostOut: number;
  lostIn: number;
  doubles: number;
  missingWebhooks: number;
  /** Event names of the missing ones. */
  missing: string[];
  repeatedWebhooks: number;
  repeatsWithOtherId: number;
}

/** A kill whose effects can be counted now, and again later: a double may come late. */
export interface Round {
  count(): Promise<KillFigures>;
}

/** Who is killed, and in the middle of how much. */
export interface Kill {
  victim: string;
  messages: number;
  /** Sends accepted before it comes. */
  after: number;
  /** How long a send may be refused before the load is given up. */
  patienceMs?: number;
}

/** `kill -9` while clients send and contacts write; returns when all has arrived, or when it is too late for that. */
export async function killDuringLoad(actor: Actor, receiver: WebhookReceiver, kill: Kill): Promise<Round> {
  const load = new Load(actor, receiver, kill);
  await Promise.all([load.sendAll(), load.writeAll()]);
  await waitFor('everything to arrive', async () => isComplete(await load.count()), SETTLE_LIMIT_MS).catch(
    () => undefined, // what is missing shows in the figures
  );
  return load;
}

/** Whether all has arrived; more than that may still come. */
function isComplete({ lostOut, lostIn, missingWebhooks }: KillFigures): boolean {
  return lostOut + lostIn + missingWebhooks === 0;
}

/** Whether nothing was lost and nothing came twice. */
export function isClean(figures: KillFigures, messages: number): boolean {
  const { accepted, written, doubles, repeatsWithOtherId } = figures;
  const all = accepted === messages && written === messages;
  return isComplete(figures) && all && doubles + repeatsWithOtherId === 0;
}

/** One delivery as the receiver saw it. */
interface Heard {
  deliveryId: string;
  at: number;
}

class Load implements Round {
  private readonly contacts = Array.from({ length: CONTACTS }, inventPhone);
  private readonly texts: string[];
  /** When it was first sent, or written by its contact. */
  private readonly sentAt = new Map<string, number>();
  private readonly writtenAt = new Map<string, number>();
  /** Job ids of what was accepted, by text. */
  private readonly jobs = new Map<string, string>();
  private killedAt = Infinity;
  private givenUp = false;

  constructor(
    private readonly actor: Actor,
    private readonly receiver: WebhookReceiver,
    private readonly kill: Kill,
  ) {
    this.texts = Array.from({ length: kill.messages }, (_, n) => `${kill.victim} ${n} ${randomUUID()}`);
  }

  async sendAll(): Promise<void> {
    const queue = [...this.texts.entries()];
    const client = async (): Promise<void> => {
      for (let next = queue.shift(); next && !this.givenUp; next = queue.shift()) await this.send(...next);
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
  }

  async writeAll(): Promise<void> {
    for (const [n, text] of this.texts.entries()) {
      const isItsTurn = (): boolean => n <= this.jobs.size + LEAD * this.kill.messages;
      await waitFor('its turn', () => this.givenUp || isItsTurn(), 2 * SETTLE_LIMIT_MS);
      if (this.givenUp) return;
      this.writtenAt.set(text, Date.now());
      await this.actor.write(this.contactOf(n), text);
    }
  }

  async count(): Promise<KillFigures> {
    const boxes = await Promise.all(this.contacts.map((contact) => this.actor.inbox(contact)));
    const inbox = boxes.flat().map(({ text }) => text);
    const arrived = new Set(inbox);
    const heard = this.heardByFact();
    const told = [...this.jobs.values()].flatMap((job) => [
      `message.sent ${job}`,
      `message.delivered ${job}`,
    ]);
    const received = [...this.writtenAt.keys()].map((text) => `message.received ${text}`);
    const ids = [...told, ...received].map((fact) => (heard.get(fact) ?? []).map((one) => one.deliveryId));
    const missing = told.filter((fact) => !heard.has(fact));
    return {
      killedAfter: this.killedAt === Infinity ? null : this.kill.after,
      recoveredMs: this.recoveredMs(heard),
      accepted: this.jobs.size,
      written: this.writtenAt.size,
      lostOut: [...this.jobs.keys()].filter((text) => !arrived.has(text)).length,
      lostIn: received.filter((fact) => !heard.has(fact)).length,
      doubles: inbox.length - arrived.size,
      missingWebhooks: missing.length,
      missing: [...new Set(missing.map((fact) => fact.split(' ')[0] as string))],
      repeatedWebhooks: ids.reduce((sum, some) => sum + Math.max(0, some.length - 1), 0),
      repeatsWithOtherId: ids.filter((some) => new Set(some).size > 1).length,
    };
  }

  /** As a real client does: the same `clientMessageId` again until there is an answer. */
  private async send(n: number, text: string): Promise<void> {
    const id = randomUUID();
    this.sentAt.set(text, Date.now());
    const jobId = await waitFor(
      'the send to be accepted',
      async () => {
        const { status, body } = await this.actor.send(this.contactOf(n), text, id);
        return status === 200 && String(body['jobId']);
      },
      this.kill.patienceMs ?? SETTLE_LIMIT_MS,
    ).catch(() => undefined);
    // Sends stay refused: the rest would only wait as long. What is missing shows in the figures.
    if (!jobId) this.givenUp = true;
    else this.accept(text, jobId);
  }

  private accept(text: string, jobId: string): void {
    this.jobs.set(text, jobId);
    if (this.jobs.size !== this.kill.after) return;
    this.killedAt = Date.now();
    this.actor.stack.kill(this.kill.victim);
  }

  private contactOf(n: number): string {
    return this.contacts[n % CONTACTS] as string;
  }

  /** Deliveries by what they tell: an event and its job, or an event and its text. */
  private heardByFact(): Map<string, Heard[]> {
    const bodies = this.receiver.bodies();
    const heard = new Map<string, Heard[]>();
    for (const [n, { event, deliveryId, payload }] of bodies.entries()) {
      const about = payload['jobId'] ?? (payload['body'] as { text?: string } | undefined)?.text;
      const fact = `${event} ${String(about)}`;
      const at = this.receiver.received[n]?.at ?? 0;
      heard.set(fact, [...(heard.get(fact) ?? []), { deliveryId, at }]);
    }
    return heard;
  }

  private recoveredMs(heard: Map<string, Heard[]>): number | null {
    const firstOf = (begun: Map<string, number>, factOf: (text: string) => string): number =>
      Math.min(
        ...[...begun]
          .filter(([, at]) => at > this.killedAt)
          .map(([text]) => heard.get(factOf(text))?.[0]?.at ?? Infinity),
      );
    const out = firstOf(this.sentAt, (text) => `message.sent ${this.jobs.get(text)}`);
    const back = Math.max(
      out,
      firstOf(this.writtenAt, (text) => `message.received ${text}`),
    );
    return Number.isFinite(back) ? back - this.killedAt : null;
  }
}
