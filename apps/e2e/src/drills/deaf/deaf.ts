import { randomUUID } from 'node:crypto';
import { waitFor, WebhookReceiver } from '@svc/testing';
import { Actor, createTenant, expectStatus, inventPhone } from '../../stack/actor.js';
import type { NamedRun } from '../../named-run.js';
import { Stack } from '../../stack/stack.js';
import { DEAF_WAYS, type DeafWay } from './deaf-ways.js';
import { deliveriesByFact } from '../../load/webhook-facts.js';

const WITHIN_MS = 60_000;
/** Longest wait, in ms; longer than the bound, so that the figures say by how much it was missed. */
const LIMIT_MS = 120_000;

/** Figures of one way of going deaf; null: that did not come to be. */
interface DeafFigures {
  /** Reason that the session gave for being recycled. */
  reason: string | null;
  /** Time from the beginning until the session gave it, in ms. */
  detectedMs: number | null;
  /** Time from the beginning until it was connected, and the messages written and sent meanwhile had arrived, in ms. */
  recoveredMs: number | null;
  lost: number;
  doubles: number;
}

/** Drill of sessions that go deaf in every known way, without any signal of it. */
export const deaf: NamedRun = {
  summary:
    'every way of going deaf, one after the other, each with a text that is written and one that is sent',
  bound: `each detected and recovered in < ${WITHIN_MS / 1000} s, with the reason told; nothing lost, nothing twice`,
  async run({ say }) {
    const stack = await Stack.start();
    const receiver = await WebhookReceiver.start();
    const tenant = await createTenant(stack, '--plan', 'ENTERPRISE', '--internal');
    const trials: { way: DeafWay; trial: Trial }[] = [];
    for (const way of DEAF_WAYS) {
      // Each trial has a session of its own: a session with repeated trouble is connected anew later and later.
      const trial = await Trial.prepare(await Actor.link(stack, tenant), receiver);
      await trial.play(way);
      trials.push({ way, trial });
      say(`  ${way.name.padEnd(28)} ${JSON.stringify(await trial.figures())}`);
    }
    // The figures are counted at the very end: a second copy may come late.
    const ways: Record<string, DeafFigures> = {};
    for (const { way, trial } of trials) ways[way.name] = await trial.figures();
    await receiver.stop();
    const longest = (figure: 'detectedMs' | 'recoveredMs'): number =>
      Math.max(...Object.values(ways).map((one) => one[figure] ?? Infinity));
    return {
      figures: { ways, longestRecoveredMs: longest('recoveredMs') },
      holds: trials.every(({ way }) => isWell(way, ways[way.name] as DeafFigures)),
    };
  },
};

function isWell(way: DeafWay, { reason, detectedMs, recoveredMs, lost, doubles }: DeafFigures): boolean {
  const isExplained = way.reasons.length === 0 || (reason !== null && (detectedMs ?? Infinity) < WITHIN_MS);
  return isExplained && (recoveredMs ?? Infinity) < WITHIN_MS && lost + doubles === 0;
}

/** A trial plays one session and its contact before, during and after the fault. */
class Trial {
  private readonly contact = inventPhone();
  private readonly written: string[] = [];
  /** The contact that each text was sent to. */
  private readonly sent = new Map<string, string>();
  private reason: string | null = null;
  private detectedMs: number | null = null;
  private recoveredMs: number | null = null;

  private constructor(
    private readonly actor: Actor,
    private readonly receiver: WebhookReceiver,
  ) {}

  /** Prepares a session and a contact that have written to each other before. */
  static async prepare(actor: Actor, receiver: WebhookReceiver): Promise<Trial> {
    await actor.promote();
    await actor.listen(receiver);
    const trial = new Trial(actor, receiver);
    await trial.speak();
    await waitFor('the first texts to arrive', async () => (await trial.missing()) === 0, LIMIT_MS);
    return trial;
  }

  async play({ begin, reasons, toStranger }: DeafWay): Promise<void> {
    const startedAt = performance.now();
    const since = this.receiver.received.length;
    const sinceBegun = (): number => Math.round(performance.now() - startedAt);
    const end = await begin(this.actor);
    try {
      await this.speak(toStranger ? inventPhone() : this.contact);
      if (reasons.length > 0) {
        const reason = async (): Promise<string | undefined> => this.reasonSince(reasons, since);
        this.reason = await waitFor('the session to say why', reason, LIMIT_MS).catch(() => null);
        if (this.reason) this.detectedMs = sinceBegun();
      }
    } finally {
      await end();
    }
    const isBack = async (): Promise<boolean> =>
      (await this.state())['status'] === 'CONNECTED' && (await this.missing()) === 0;
    if (await waitFor('the session to be back', isBack, LIMIT_MS).catch(() => false)) {
      this.recoveredMs = sinceBegun();
    }
  }

  async figures(): Promise<DeafFigures> {
    const { reason, detectedMs, recoveredMs } = this;
    const inbox = await this.inbox();
    const deliveries = this.written.map((text) => new Set(this.deliveriesOf(text)).size);
    const doubles = inbox.length - new Set(inbox).size + deliveries.filter((count) => count > 1).length;
    return { reason, detectedMs, recoveredMs, lost: await this.missing(), doubles };
  }

  /** Sends one text each way. */
  private async speak(to = this.contact): Promise<void> {
    const id = randomUUID();
    const [inbound, outbound] = [`in ${id}`, `out ${id}`];
    this.written.push(inbound);
    await this.actor.write(this.contact, inbound);
    this.sent.set(outbound, to);
    const accepted = async (): Promise<boolean> => {
      const answer = await this.actor.send(to, outbound, id);
      if (answer.status !== 409) expectStatus(answer, 200);
      return answer.status === 200;
    };
    // The sends are refused while a session reconnects, with a reason for its tenant.
    void waitFor('the send to be accepted', accepted, LIMIT_MS).catch(() => undefined);
  }

  private async missing(): Promise<number> {
    const arrived = new Set(await this.inbox());
    const unsent = [...this.sent.keys()].filter((text) => !arrived.has(text));
    return unsent.length + this.written.filter((text) => this.deliveriesOf(text).length === 0).length;
  }

  private async inbox(): Promise<string[]> {
    const contacts = new Set(this.sent.values());
    const inboxes = await Promise.all([...contacts].map((contact) => this.actor.inbox(contact)));
    return inboxes.flat().flatMap(({ text }) => text ?? []);
  }

  private deliveriesOf(text: string): string[] {
    return (deliveriesByFact(this.receiver).get(`message.received ${text}`) ?? []).map(
      ({ deliveryId }) => deliveryId,
    );
  }

  /** Reads the reason from the events of the tenant, or from the session where it was not connected anyhow. */
  private async reasonSince(reasons: string[], since: number): Promise<string | undefined> {
    const webhookReasons = this.receiver
      .bodies()
      .slice(since)
      .filter(({ payload }) => payload['sessionId'] === this.actor.sessionId)
      .map(({ payload }) => String(payload['reason']));
    const { statusReason } = await this.state();
    return [...webhookReasons, String(statusReason)].find((reason) => reasons.includes(reason));
  }

  private async state(): Promise<Record<string, unknown>> {
    return (await this.actor.api('GET', `/v1/sessions/${this.actor.sessionId}`)).body;
  }
}
