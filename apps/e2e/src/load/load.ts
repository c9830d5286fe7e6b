import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { waitFor, type WebhookReceiver } from '@svc/testing';
import { type Actor, type InboxItem, inventPhone } from '../stack/actor.js';
import { round3 } from '../figures.js';
import { type Delivery, deliveriesByFact } from './webhook-facts.js';

const CLIENTS = 4;
/** Least number of contacts; there are as many as numbers, if those are more: few would stand in line for each other. */
const CONTACTS = 5;
/** Lead that the contacts may have before unpaced clients, in parts of the whole: a kill happens in the middle of both. */
const LEAD = 0.15;
const SETTLE_LIMIT_MS = 90_000;
/** Pause between two tries of a send that was refused, in ms. */
const RETRY_MS = 250;
/** Reason of a call that ended without an answer, as on a connection that closed. */
export const NO_ANSWER = 'no answer';

/** The figures of a load, counted at the simulator and at the receiver. */
export interface LoadFigures {
  accepted: number;
  /** Texts that contacts wrote. */
  written: number;
  /** The rate at which sends began and texts were written, which is less than asked for where the machine is too slow. */
  sendsPerSecond: number;
  writesPerSecond: number;
  /** Reasons for which texts could not be written, each once. */
  writeFailures: string[];
  lostOut: number;
  lostIn: number;
  /** Number of sessions with a loss: a few with all, or all with a little. */
  sessionsWithLoss: number;
  doubles: number;
  /** Sends with a webhook that says that they failed. */
  failed: number;
  missingWebhooks: number;
  /** Event names of the missing ones. */
  missing: string[];
  repeatedWebhooks: number;
  repeatsWithOtherId: number;
}

/** The plan of a load: how much is sent and written, how fast. */
export interface LoadPlan {
  /** Begins every text. */
  label: string;
  /** Number of messages each way, spread over the actors. */
  messages: number;
  /** Number of messages begun per second each way, whatever the answers; absent: four clients, each waiting for its answer. */
  perSecond?: number;
  /** True when the messages are pictures, with the text below them. */
  withFiles?: boolean;
  /** Longest time that a send may be refused before the load is given up, in ms. */
  patienceMs?: number;
  /** Listens to each acceptance, with how many there are. */
  onAccepted?(count: number): void;
  /** Listens to each answer that refuses a send: `503 UPSTREAM_UNAVAILABLE`, or `no answer`. */
  onRefused?(reason: string): void;
}

/** A linked number that talks with its contacts. */
export type Talker = Pick<Actor, 'stack' | 'send' | 'sendFile' | 'write' | 'writeFile'>;

/** Says whether all has arrived; more than that may still come. */
function isComplete({ lostOut, lostIn, missingWebhooks }: LoadFigures): boolean {
  return lostOut + lostIn + missingWebhooks === 0;
}

/** Says whether all was accepted, no text was lost either way and none came twice. */
export function isIntact(figures: LoadFigures, messages: number): boolean {
  const { accepted, written, lostOut, lostIn, doubles, repeatsWithOtherId } = figures;
  const all = accepted === messages && written === messages;
  return all && lostOut + lostIn + doubles + repeatsWithOtherId === 0;
}

/** Says whether, beyond that, every webhook arrived. */
export function isClean(figures: LoadFigures, messages: number): boolean {
  return isIntact(figures, messages) && isComplete(figures);
}

/** Clients send and contacts write; what arrives can be counted at any moment, and again later. */
export class Load {
  private readonly contacts: string[];
  private readonly contactsEach: number;
  private readonly texts: string[];
  /** Times of the first send of a text, and of its writing by a contact. */
  private readonly sentAt = new Map<string, number>();
  private readonly writtenAt = new Map<string, number>();
  /** Job ids of accepted sends, by text. */
  private readonly jobs = new Map<string, string>();
  private readonly writeFailures = new Set<string>();
  private isAbandoned = false;
  /** Number of messages that are begun each way; `end` makes it less. */
  private most: number;
  private begun = 0;

  constructor(
    private readonly actors: readonly Talker[],
    private readonly receiver: WebhookReceiver,
    private readonly plan: LoadPlan,
  ) {
    this.most = plan.messages;
    this.contactsEach = Math.ceil(CONTACTS / actors.length);
    this.contacts = Array.from({ length: actors.length * this.contactsEach }, inventPhone);
    this.texts = Array.from({ length: plan.messages }, (_, n) => `${plan.label} ${n} ${randomUUID()}`);
  }

  /** Number of messages each way. */
  get messages(): number {
    return this.most;
  }

  /** Begins no message more, of a load at a rate; `run` resolves when those before have arrived. */
  end(): void {
    this.most = Math.min(this.most, this.begun);
  }

  /**
   * Lets each contact write to its session, and the session answer. Keys are exchanged then, which costs both sides many times what a text
   * between acquaintances does; and a number that may begin no chats has some.
   * @throws Error when that does not come to be.
   */
  async acquaint(): Promise<void> {
    const pairs = this.contacts.map((contact, n) => ({
      contact,
      actor: this.actors[Math.floor(n / this.contactsEach)] as Talker,
    }));
    for (const { contact, actor } of pairs) {
      const text = `acquaintance of ${contact} ${randomUUID()}`;
      await actor.write(contact, text);
      const isDelivered = (): boolean => deliveriesByFact(this.receiver).has(`message.received ${text}`);
      await waitFor('the text of the contact', isDelivered);
      const id = randomUUID();
      await waitFor('the answer', async () => (await actor.send(contact, text, id)).status === 200);
      await waitFor('the contact to have it', async () => (await this.inboxOf(contact)).length > 0);
    }
  }

  /** Returns when all has arrived, or when it is too late for that. */
  async run(): Promise<void> {
    const { perSecond } = this.plan;
    await Promise.all(
      perSecond
        ? [
            this.pace(perSecond, (n, text) => this.send(n, text)),
            this.pace(perSecond, (n, text) => this.write(n, text)),
          ]
        : [this.sendAll(), this.writeAll()],
    );
    const arrived = async (): Promise<boolean> => {
      if (isComplete(await this.count())) return true;
      await delay(this.most); // counting takes longer the more there is
      return false;
    };
    // The figures show what is missing.
    await waitFor('everything to arrive', arrived, SETTLE_LIMIT_MS).catch(() => undefined);
  }

  async count(): Promise<LoadFigures> {
    const mine = new Set(this.texts);
    const inbox = (await Promise.all(this.contacts.map((contact) => this.inboxOf(contact))))
      .flat()
      .filter((text) => mine.has(text));
    const arrived = new Set(inbox);
    const deliveries = deliveriesByFact(this.receiver);
    const jobs = [...this.jobs.values()];
    const statuses = jobs.flatMap((job) => [`message.sent ${job}`, `message.delivered ${job}`]);
    const received = [...this.writtenAt.keys()].map((text) => `message.received ${text}`);
    const ids = [...statuses, ...received].map((fact) =>
      (deliveries.get(fact) ?? []).map((one) => one.deliveryId),
    );
    const isLost = (text: string): boolean =>
      (this.jobs.has(text) && !arrived.has(text)) ||
      (this.writtenAt.has(text) && !deliveries.has(`message.received ${text}`));
    const losers = this.texts.flatMap((text, n) => (isLost(text) ? [n % this.actors.length] : []));
    const missing = statuses.filter((fact) => !deliveries.has(fact));
    return {
      accepted: this.jobs.size,
      written: this.writtenAt.size,
      sendsPerSecond: rateOf(this.sentAt),
      writesPerSecond: rateOf(this.writtenAt),
      writeFailures: [...this.writeFailures],
      lostOut: [...this.jobs.keys()].filter((text) => !arrived.has(text)).length,
      lostIn: received.filter((fact) => !deliveries.has(fact)).length,
      sessionsWithLoss: new Set(losers).size,
      doubles: inbox.length - arrived.size,
      failed: jobs.filter((job) => deliveries.has(`message.failed ${job}`)).length,
      missingWebhooks: missing.length,
      missing: [...new Set(missing.map((fact) => fact.split(' ')[0] as string))],
      repeatedWebhooks: ids.reduce((sum, some) => sum + Math.max(0, some.length - 1), 0),
      repeatsWithOtherId: ids.filter((some) => new Set(some).size > 1).length,
    };
  }

  /** Measures the time from a moment until the receiver had the webhooks of one send and one inbound text that began after it. */
  recoveredMs(from: number): number | null {
    const deliveries = deliveriesByFact(this.receiver);
    const firstOf = (times: Map<string, number>, factOf: (text: string) => string): number =>
      Math.min(
        ...[...times].filter(([, at]) => at > from).map(([text]) => atOf(deliveries.get(factOf(text)))),
      );
    const out = firstOf(this.sentAt, (text) => `message.sent ${this.jobs.get(text)}`);
    const back = Math.max(
      out,
      firstOf(this.writtenAt, (text) => `message.received ${text}`),
    );
    return Number.isFinite(back) ? back - from : null;
  }

  /** Measures the time from each send to its `message.sent` at the receiver, in ms, sorted; those without one are missing. */
  sendLatencies(): number[] {
    const deliveries = deliveriesByFact(this.receiver);
    const latencies = [...this.jobs].flatMap(([text, job]) => {
      const at = atOf(deliveries.get(`message.sent ${job}`));
      return Number.isFinite(at) ? [Math.max(0, at - (this.sentAt.get(text) ?? at))] : [];
    });
    return latencies.sort((a, b) => a - b);
  }

  private async sendAll(): Promise<void> {
    const queue = [...this.texts.entries()];
    const client = async (): Promise<void> => {
      for (let next = queue.shift(); next && !this.isAbandoned; next = queue.shift())
        await this.send(...next);
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
  }

  private async writeAll(): Promise<void> {
    for (const [n, text] of this.texts.entries()) {
      const isItsTurn = (): boolean => n <= this.jobs.size + LEAD * this.plan.messages;
      await waitFor('its turn', () => this.isAbandoned || isItsTurn(), 2 * SETTLE_LIMIT_MS);
      if (this.isAbandoned) return;
      await this.write(n, text);
    }
  }

  /** Begins one after the other at its time: one that waits for its answer does not delay others. */
  private async pace(perSecond: number, act: (n: number, text: string) => Promise<void>): Promise<void> {
    const startedAt = performance.now();
    const underWay: Promise<void>[] = [];
    for (const [n, text] of this.texts.entries()) {
      await delay(Math.max(0, startedAt + (n * 1000) / perSecond - performance.now()));
      if (this.isAbandoned || n >= this.most) break;
      this.begun = Math.max(this.begun, n + 1);
      underWay.push(act(n, text));
    }
    await Promise.all(underWay);
  }

  /** Sends as a real client does: the same `clientMessageId` again until there is an answer. */
  private async send(n: number, text: string): Promise<void> {
    const id = randomUUID();
    this.sentAt.set(text, Date.now());
    const tryOnce = async (): Promise<string | undefined> => {
      const actor = this.actorOf(n);
      const to = this.contactOf(n);
      const { status, body } = await (this.plan.withFiles
        ? actor.sendFile(to, text, id)
        : actor.send(to, text, id));
      if (status === 200) return String(body['jobId']);
      this.plan.onRefused?.(reasonOfAnswer(status, body));
      return undefined;
    };
    const tryAgain = (): Promise<string | undefined> =>
      tryOnce().catch(() => void this.plan.onRefused?.(NO_ANSWER));
    const deadline = performance.now() + (this.plan.patienceMs ?? SETTLE_LIMIT_MS);
    let jobId = await tryAgain();
    while (!jobId && performance.now() < deadline) {
      await delay(RETRY_MS);
      jobId = await tryAgain();
    }
    // Sends stay refused: the others would only wait as long. What is missing shows in the figures.
    if (!jobId) this.isAbandoned = true;
    else this.accept(text, jobId);
  }

  private accept(text: string, jobId: string): void {
    this.jobs.set(text, jobId);
    this.plan.onAccepted?.(this.jobs.size);
  }

  private async write(n: number, text: string): Promise<void> {
    this.writtenAt.set(text, Date.now());
    // The text is not written again: it may have arrived, and would come twice. It shows as one that was not written.
    const failed = (error: unknown): void => {
      this.writtenAt.delete(text);
      this.writeFailures.add(error instanceof Error ? reasonOf(error) : String(error));
    };
    const actor = this.actorOf(n);
    const from = this.contactOf(n);
    await (this.plan.withFiles ? actor.writeFile(from, text) : actor.write(from, text)).catch(failed);
  }

  private async inboxOf(contact: string): Promise<string[]> {
    const path = `/contacts/${contact}/messages`;
    const page = await this.actorOf(0).stack.platform<{ items: InboxItem[] }>('GET', path);
    // A picture that cannot be opened has not arrived.
    return page.items.flatMap(({ text, content: { caption, media } }) =>
      media?.problem ? [] : [caption ?? text ?? ''],
    );
  }

  private actorOf(n: number): Talker {
    return this.actors[n % this.actors.length] as Talker;
  }

  private contactOf(n: number): string {
    const first = (n % this.actors.length) * this.contactsEach;
    return this.contacts[first + (Math.floor(n / this.actors.length) % this.contactsEach)] as string;
  }
}

/** Names an answer that refuses a call: status and code, and why a session is away. */
export function reasonOfAnswer(status: number, { code, meta }: Record<string, unknown>): string {
  const { statusReason } = (meta ?? {}) as { statusReason?: string };
  return [status, code, ...(statusReason ? [statusReason] : [])].join(' ');
}

/** Returns the text of an error with its cause: `fetch failed` says nothing. */
function reasonOf({ message, cause }: Error): string {
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}

function atOf(deliveries: Delivery[] | undefined): number {
  return deliveries?.[0]?.at ?? Infinity;
}

function rateOf(startTimes: Map<string, number>): number {
  const times = [...startTimes.values()];
  const seconds = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1000;
  return seconds > 0 ? round3((times.length - 1) / seconds) : 0;
}
