import { WebhookReceiver } from '@svc/testing';
import { quantile } from '../../figures.js';
import { isClean, Load } from '../../load/load.js';
import type { NamedRun } from '../../named-run.js';
import { type Actor, createTenant, linkActors } from '../../stack/actor.js';
import { Program } from '../../stack/program.js';
import { Stack } from '../../stack/stack.js';
import { type Attack, ATTACKS } from './attacks.js';
import { Attacker } from './attacker.js';
import { type Footprints, ProcessWatch, SERVERS } from './process-watch.js';

const PER_SECOND = 10;
const QUIET_S = 60;
const WARM_UP_S = 30;
/** Together they stay below what one number may send a day. */
const VICTIM_SESSIONS = 3;
/** The servers are small, and follow how much is asked of them: for them what counts is how much more it is. */
const MOST = { p99Ratio: 2, p99MoreMs: 250, rssRatio: 1.3, serverMoreMb: 128 };

/** The figures of the victim in a while. */
interface VictimFigures {
  p50Ms: number;
  p99Ms: number;
  isIntact: boolean;
}

/** One tenant at a time attacks, another one sends and hears. */
export const hostileTenant: NamedRun = {
  summary: `a tenant attacks in ${ATTACKS.length} ways, one after the other, with at most 50 calls and 20 MB a second, while another sends ${PER_SECOND} messages a second`,
  bound: `send to webhook p99 of the other within ${MOST.p99Ratio} times its quiet figure plus ${MOST.p99MoreMs} ms; nothing of it lost; memory of every process within ${MOST.rssRatio} times, of a server within ${MOST.serverMoreMb} MB more; descriptors return`,
  async run({ say }) {
    const stack = await Stack.start();
    const receiver = await WebhookReceiver.start();
    const { program, first } = await Program.start<{ port: number }>('receiver.mjs');
    const watch = new ProcessWatch(stack);
    try {
      const victim = new Victim(await linkVictim(stack, receiver), receiver);
      await victim.send('warm up', WARM_UP_S);
      watch.take();
      const quiet = { ...(await victim.send('quiet', QUIET_S)), footprints: watch.take() };
      say(`  quiet ${JSON.stringify(quiet)}`);
      const figures: Record<string, object> = {};
      let holds = quiet.isIntact;
      for (const attack of ATTACKS) {
        const attacker = await Attacker.create(stack, `http://127.0.0.1:${first.port}`);
        const outcome = await play(attack, attacker, { victim, watch, quiet });
        figures[attack.name] = outcome;
        holds &&= outcome.holds;
        say(`  ${outcome.holds ? '✓' : '✗'} ${attack.name} ${JSON.stringify(outcome)}`);
      }
      return { figures: { quiet, attacks: figures }, holds };
    } finally {
      watch.stop();
      program.stop();
      await receiver.stop();
    }
  },
};

async function linkVictim(stack: Stack, receiver: WebhookReceiver): Promise<Actor[]> {
  const tenant = await createTenant(stack, '--plan', 'ENTERPRISE');
  return linkActors(stack, tenant, VICTIM_SESSIONS, async (actor) => {
    await actor.promote();
    await actor.listen(receiver);
  });
}

/** Plays one attack and holds what the others noticed against the bound. */
async function play(
  attack: Attack,
  attacker: Attacker,
  {
    victim,
    watch,
    quiet,
  }: { victim: Victim; watch: ProcessWatch; quiet: VictimFigures & { footprints: Footprints } },
): Promise<{ holds: boolean } & Record<string, unknown>> {
  watch.take();
  await attack.begin(attacker);
  const beside = await victim.send(attack.name, attack.seconds);
  const footprints = watch.take();
  const rssRatios = ratiosOf(footprints, quiet.footprints);
  await attacker.end();
  const descriptorsLeft = await watch.descriptorsLeft(quiet.footprints);
  const holds =
    beside.isIntact &&
    beside.p99Ms <= MOST.p99Ratio * quiet.p99Ms + MOST.p99MoreMs &&
    Object.keys(footprints).every((name) => isBounded(name, footprints, quiet.footprints)) &&
    Object.keys(descriptorsLeft).length === 0;
  return { ...beside, rssRatios, descriptorsLeft, answers: attacker.answers, holds };
}

function isBounded(name: string, now: Footprints, before: Footprints): boolean {
  const [rssMb = 0, earlier = rssMb] = [now[name]?.rssMb, before[name]?.rssMb];
  return SERVERS.includes(name) ? rssMb <= earlier + MOST.serverMoreMb : rssMb <= earlier * MOST.rssRatio;
}

function ratiosOf(now: Footprints, before: Footprints): Record<string, number> {
  const ratios = Object.entries(now).map(([name, { rssMb }]) => {
    const { rssMb: earlier = rssMb } = before[name] ?? {};
    return [name, Math.round((100 * rssMb) / earlier) / 100] as const;
  });
  return Object.fromEntries(ratios);
}

/** A customer who sends at a steady pace and hears what became of it. */
class Victim {
  constructor(
    private readonly actors: Actor[],
    private readonly receiver: WebhookReceiver,
  ) {}

  async send(label: string, seconds: number): Promise<VictimFigures> {
    const messages = PER_SECOND * seconds;
    const load = new Load(this.actors, this.receiver, { label, messages, perSecond: PER_SECOND });
    await load.acquaint();
    await load.run();
    const latencies = load.sendLatencies();
    const isIntact = isClean(await load.count(), messages);
    return { p50Ms: quantile(latencies, 0.5), p99Ms: quantile(latencies, 0.99), isIntact };
  }
}
