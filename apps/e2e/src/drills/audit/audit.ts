import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom, waitFor, WebhookReceiver } from '@svc/testing';
import { untilReplaced } from '../../load/crowd.js';
import { dieAt } from '../../load/die-at.js';
import type { NamedRun, RunOptions } from '../../named-run.js';
import { createTenant } from '../../stack/actor.js';
import { Stack } from '../../stack/stack.js';
import { Books, type Differences, type Line, noteRotations, waitingFacts } from './audit-books.js';
import { Client, operate } from './audit-client.js';
import { noteMade, type Scene, STORIES } from './audit-stories.js';

const CLIENTS = 6;
/** A minute of the option is so many changes: 500 without it. */
const CHANGES_PER_MINUTE = 50;
/** Longest pause of a client between two stories, in ms: the kills are to fall among the changes, not behind them. */
const PAUSE_MS = 3_000;
const LEAST_PAUSE_MS = 1_000;
const MORE_PAUSE_MS = 3_000;
const VICTIMS = ['api-gateway', 'webhook-dispatcher', 'session-worker', 'limits', 'billing', 'nats-server'];
/** Owners of changes, which are also killed right between their steps. */
const OWNERS = ['webhook-dispatcher', 'session-worker', 'limits', 'billing'];
const STEPS = ['audit-1', 'audit-2'];
/** The sweeper waits three seconds, and what the bot has not answered holds up its endpoint for a minute. */
const SETTLE_LIMIT_MS = 180_000;

/**
 * Drill of changes by everyone who makes some, while the services that make them, and those on their way, are killed. What follows from a
 * message is not among them: erasures, pauses of endpoints that fail, deleted tenants (their chain goes with them).
 */
export const audit: NamedRun = {
  summary: `${CHANGES_PER_MINUTE * 10} changes by ${CLIENTS} tenants and their operator (--minutes N: ${CHANGES_PER_MINUTE} each), kill -9 of five services and of NATS in turn, and of each owner between its steps`,
  bound:
    'every change that was carried out has exactly one line in the audit log, no line is without a change, and every chain holds',
  async run({ seed, minutes, say }) {
    const stack = await Stack.start();
    const receiver = await WebhookReceiver.start();
    try {
      const { scene, clients } = await prepare(stack, `${receiver.origin}/hook`);
      const load = new Load(scene, clients, seededRandom(seed));
      const wanted = CHANGES_PER_MINUTE * minutes;
      const startedAt = performance.now();
      const running = load.run(wanted);
      running.catch(() => undefined); // caught below, and between the kills
      const kills = await killInTurn(stack, load, seededRandom(seed + 1), say);
      load.isDisturbed = false;
      await running;
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      say(`  ${seconds} s, ${kills} kills; waiting for the rest`);
      const found = await count(stack, scene, clients, say);
      const figures = { seed, seconds, kills, stories: load.stories, changes: scene.books.changes, ...found };
      return { figures, holds: isExact(found) && scene.books.changes >= wanted && kills >= VICTIMS.length };
    } finally {
      await receiver.stop();
    }
  },
};

interface Found extends Differences {
  /** Chains that do not hold. */
  breaks: number;
}

function isExact({ lines, missing, doubled, unexpected, breaks }: Found): boolean {
  return lines > 0 && missing + doubled + unexpected + breaks === 0;
}

async function prepare(stack: Stack, url: string): Promise<{ scene: Scene; clients: Client[] }> {
  const scene: Scene = { books: new Books(), url, tenants: [], plans: new Map() };
  const clients: Client[] = [];
  for (let n = 0; n < CLIENTS; n += 1) {
    const tenant = await createTenant(stack, '--plan', 'ENTERPRISE', '--internal');
    const payer = await createTenant(stack);
    for (const { tenantId } of [tenant, payer]) scene.books.noteTenant(tenantId);
    scene.plans.set(payer.tenantId, 'GROWTH');
    clients.push(new Client(stack, tenant, payer, String(n)));
  }
  return { scene, clients };
}

/** Clients that play stories until there are enough changes, and no process is killed any more. */
class Load {
  isDisturbed = true;
  stories = 0;
  private failure: unknown;

  constructor(
    private readonly scene: Scene,
    private readonly clients: Client[],
    private readonly random: () => number,
  ) {}

  async run(wanted: number): Promise<void> {
    await Promise.all(
      this.clients.map(async (client) => {
        while (this.isDisturbed || this.scene.books.changes < wanted) {
          const story = STORIES[Math.floor(this.random() * STORIES.length)];
          await story?.(client, this.scene);
          this.stories += 1;
          await delay(this.random() * PAUSE_MS);
          this.assertNoFailure();
        }
      }),
    ).catch((error: unknown) => {
      this.failure = error;
      throw error;
    });
  }

  /**
   * Throws an error that a client could not recover from.
   * @throws what a client did not get over.
   */
  assertNoFailure(): void {
    if (this.failure) throw this.failure;
  }
}

/**
 * Kills the processes in turn.
 * @returns how often a process was killed.
 */
async function killInTurn(
  stack: Stack,
  load: Load,
  random: () => number,
  say: RunOptions['say'],
): Promise<number> {
  let kills = 0;
  const pause = async (): Promise<void> => {
    kills += 1;
    load.assertNoFailure();
    await delay(LEAST_PAUSE_MS + random() * MORE_PAUSE_MS);
  };
  for (const victim of VICTIMS) {
    const pid = stack.pidOf(victim);
    stack.kill(victim);
    await untilReplaced(stack, victim, pid);
    say(`  ${victim} killed after ${load.stories} stories`);
    await pause();
  }
  for (const owner of OWNERS) {
    for (const step of STEPS) {
      const { pid, died } = await dieAt(stack, { process: owner, app: 'audit-outbox', step, passes: 0 });
      await died();
      await untilReplaced(stack, owner, pid);
      say(`  ${owner} killed at ${step} after ${load.stories} stories`);
      await pause();
    }
  }
  return kills;
}

/** Counts once nothing is on its way any more. */
async function count(stack: Stack, scene: Scene, clients: Client[], say: RunOptions['say']): Promise<Found> {
  const { books } = scene;
  const nothing = async (): Promise<boolean> => (await waitingFacts(stack)) === 0;
  await waitFor('nothing to be on its way', nothing, SETTLE_LIMIT_MS);
  for (const client of clients) await noteMade(client, scene);
  await noteRotations(stack, books);
  const ids = clients.flatMap(({ tenant, payer }) => [tenant.tenantId, payer.tenantId]);
  const { items } = await operate<{ items: { tenantId: string; name: string }[] }>(
    stack,
    () => 'tenants',
    () => 'list',
  );
  const made = items.filter(({ name }) => scene.tenants.includes(name)).map(({ tenantId }) => tenantId);
  for (const tenantId of made) books.noteTenant(tenantId);
  const lines: Line[] = [];
  for (const tenantId of [...ids, ...made]) {
    const log = await operate<{ items: Line[] }>(
      stack,
      () => 'audit-log',
      () => tenantId,
    );
    lines.push(...log.items);
  }
  const breaks = await stack.operator<{ breaks: object[] }>('audit-log', 'verify').then(
    (verdict) => verdict.breaks.length,
    () => 1,
  );
  return { ...books.compare(lines, say), breaks };
}
