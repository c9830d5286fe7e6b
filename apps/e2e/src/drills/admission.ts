import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom, waitFor } from '@svc/testing';
import { type Actor, createTenant, expectStatus, inventPhone, linkActors } from '../stack/actor.js';
import type { NamedRun, RunOptions } from '../named-run.js';
import { Stack } from '../stack/stack.js';
import { untilReplaced } from '../load/crowd.js';
import { countUnits, type Units, unitsInDoubt } from '../load/units.js';

const SENDS = 100_000;
const CLIENTS = 64;
/** The tiers of each tenant's sessions: a day of all of them is more than GROWTH allows, and less than ENTERPRISE. */
const TIERS = [4, 4, 4, 4, 4, 4, 3, 2, 1, 0];
const PLANS = ['ENTERPRISE', 'ENTERPRISE', 'GROWTH', 'GROWTH', 'STARTER'];
const VICTIMS = ['api-gateway', 'limits'];
/** The least pause between the return of a process and the next kill. */
const LEAST_PAUSE_MS = 5_000;
const MORE_PAUSE_MS = 10_000;
const RETRY_MS = 250;
/** A send that takes longer fails the run. */
const PATIENCE_MS = 120_000;
/** The sweeper asks after two minutes. */
const SWEEP_LIMIT_MS = 300_000;

/** Clients send more than there is, while the services that count are killed; then every unit is looked for. */
export const admission: NamedRun = {
  summary: `${SENDS} sends over ${PLANS.length * TIERS.length} sessions of ${PLANS.length} tenants by ${CLIENTS} clients, kill -9 of gateway and limits at random`,
  bound:
    'no session and no plan sends more than its day allows; after the sweeper both counters are the messages that there are, and every accepted send has one',
  async run({ seed, say }) {
    const stack = await Stack.start();
    const actors = await gather(stack, say);
    const clients = new Clients(actors, seededRandom(seed));
    const startedAt = performance.now();
    const kills = await killMeanwhile(stack, clients, { seed, say });
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    say(
      `  ${clients.accepted.size} accepted, ${JSON.stringify(clients.refused)} refused in ${seconds} s, ${kills} kills`,
    );
    const postgres = stack.file.postgres;
    await waitFor('no unit to be in doubt', async () => (await unitsInDoubt(postgres)) === 0, SWEEP_LIMIT_MS);
    const units = await countUnits(postgres, clients.accepted);
    const { accepted, refused, unanswered } = clients;
    return {
      figures: { seed, seconds, kills, accepted: accepted.size, refused, unanswered, ...units },
      holds: isExact(units) && unanswered === 0 && kills > 0 && refused.session > 0 && refused.plan > 0,
    };
  },
};

function isExact({ overAdmitted, leaked, uncounted, withoutMessage }: Units): boolean {
  return overAdmitted + leaked + uncounted + withoutMessage === 0;
}

/** Gathers sessions that are linked and raised while all plans have room for ten; the plans of the drill come after. */
async function gather(stack: Stack, say: RunOptions['say']): Promise<Actor[]> {
  const actors: Actor[] = [];
  for (const plan of PLANS) {
    const tenant = await createTenant(stack, '--plan', 'ENTERPRISE');
    const linked = await linkActors(stack, tenant, TIERS.length);
    for (const [n, actor] of linked.entries()) {
      const tier = TIERS[n] ?? 0;
      if (tier === 0) continue;
      const path = `/v1/sessions/${actor.sessionId}/promote-warmup-tier`;
      expectStatus(await actor.api('POST', path, { tier, reason: 'drill' }), 200);
    }
    await stack.operator('subscriptions', 'set', tenant.tenantId, 'ACTIVE', '--plan', plan);
    actors.push(...linked);
    say(`  ${linked.length} sessions of a tenant with ${plan}`);
  }
  return actors;
}

async function killMeanwhile(
  stack: Stack,
  clients: Clients,
  { seed, say }: Pick<RunOptions, 'seed' | 'say'>,
): Promise<number> {
  const random = seededRandom(seed + 1);
  const load = clients.run();
  let kills = 0;
  for (;;) {
    const pause = delay(LEAST_PAUSE_MS + random() * MORE_PAUSE_MS, 'kill' as const);
    if ((await Promise.race([load.then(() => 'over' as const), pause])) === 'over') break;
    const victim = VICTIMS[Math.floor(random() * VICTIMS.length)] as string;
    const pid = stack.pidOf(victim);
    stack.kill(victim);
    kills += 1;
    say(`  ${clients.accepted.size} accepted, ${JSON.stringify(clients.refused)} refused; ${victim} killed`);
    await untilReplaced(stack, victim, pid);
  }
  return kills;
}

/** Clients send as real ones do: the same `clientMessageId` again until there is an answer. */
class Clients {
  /** Job ids of accepted sends. */
  readonly accepted = new Set<string>();
  readonly refused = { session: 0, plan: 0 };
  unanswered = 0;
  private started = 0;
  private readonly contacts = Array.from({ length: 20 }, inventPhone);

  constructor(
    private readonly actors: Actor[],
    private readonly random: () => number,
  ) {}

  async run(): Promise<void> {
    await Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        while (this.started < SENDS) {
          this.started += 1;
          await this.send();
        }
      }),
    );
  }

  private async send(): Promise<void> {
    const pick = <T>(list: T[]): T => list[Math.floor(this.random() * list.length)] as T;
    const [actor, contact, id] = [pick(this.actors), pick(this.contacts), randomUUID()];
    const deadline = performance.now() + PATIENCE_MS;
    while (performance.now() < deadline) {
      const answer = await actor.send(contact, id, id).catch(() => undefined);
      if (answer?.status === 200) return void this.accepted.add(String(answer.body['jobId']));
      if (answer?.status === 429) {
        const { layer } = answer.body['meta'] as { layer: string };
        if (layer === 'session' || layer === 'plan') return void (this.refused[layer] += 1);
      }
      await delay(RETRY_MS);
    }
    this.unanswered += 1;
  }
}
