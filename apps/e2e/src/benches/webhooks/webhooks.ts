import { randomUUID } from 'node:crypto';
import { round3 } from '../../figures.js';
import type { Benchmark } from '../../named-run.js';
import { nodeFlagsOf } from '../../repository.js';
import { cpuMsWhenIdle, cpuMsOf } from '../../stack/process-figures.js';
import { Program } from '../../stack/program.js';
import { compareSides } from '../sides.js';
import { type Subscriber, WebhookScene } from '../../stack/webhook-scene.js';

const TENANTS = 16;
const EVENTS = 8_000;
/** Number of connections, as many as the dispatcher opens: eight for an endpoint whose receiver answers. */
const CONNECTIONS = 8 * TENANTS;
const ROUNDS = 8;
const LEAST_RATIO = 0.25;
const MOST_CPU_RATIO = 2.5;
const BODY_BYTES = 830;
/** The reference is several times as fast: both sides are watched for about as long. */
const BARE_TIMES = 4;

/** Deliveries a second, from the stream to the receiver with all that is written on the way. */
export const webhooks: Benchmark = {
  summary: 'webhooks delivered per second, against an undici loop that posts signed bodies',
  bound: `ratio >= ${LEAST_RATIO}; CPU per delivery <= ${MOST_CPU_RATIO} x bare; ${TENANTS} tenants, ${EVENTS} events published beforehand`,
  judged: { ratio: 'higher', cpuRatio: 'lower' },
  async run({ say }) {
    const scene = await WebhookScene.start();
    const { program: poster } = await Program.start('poster.mjs');
    try {
      const subscribers = await scene.subscribe('ok', TENANTS);
      const bare = async (): Promise<Figures> => {
        await scene.forget();
        const count = EVENTS * BARE_TIMES;
        const argument = {
          ...{ url: scene.urlOf('ok/bare'), count, connections: CONNECTIONS },
          ...{ bodies: EVENTS, bytes: BODY_BYTES },
        };
        const { result } = (await poster.ask('post', argument)) as {
          result: { seconds: number; cpuMs: number };
        };
        return { perSecond: round3(count / result.seconds), cpuMsEach: round3(result.cpuMs / count) };
      };
      const ours = (): Promise<Figures> => deliver(scene, scene.dispatcherPid, subscribers);
      const compared = await compareSides({ bare, ours }, ROUNDS, say);
      const { perSecond: ratio, cpuMsEach: cpuRatio } = compared.ratio;
      const steps = await compareSteps(scene, bare, say);
      return {
        figures: { bare: compared.bare, ours: compared.ours, ratio, cpuRatio, steps },
        holds: ratio >= LEAST_RATIO && cpuRatio <= MOST_CPU_RATIO,
      };
    } finally {
      poster.stop();
      await scene.stop();
    }
  },
};

type Figures = Record<'perSecond' | 'cpuMsEach', number>;

/** Measures what a process takes to deliver events that it finds in the stream. */
async function deliver(scene: WebhookScene, pid: number, subscribers: Subscriber[]): Promise<Figures> {
  await scene.forget();
  process.kill(pid, 'SIGSTOP');
  try {
    await scene.flood(subscribers, EVENTS);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  const [posts, cpuMs, startedAt] = [await scene.posts(), cpuMsOf(pid), performance.now()];
  await scene.posted(posts, EVENTS);
  const seconds = (performance.now() - startedAt) / 1000;
  return {
    perSecond: round3(EVENTS / seconds),
    cpuMsEach: round3(((await cpuMsWhenIdle(pid)) - cpuMs) / EVENTS),
  };
}

/** Measures how much of it the libraries alone take (`bare/steps.mjs`), against the same reference. */
async function compareSteps(
  scene: WebhookScene,
  bare: () => Promise<Figures>,
  say: (line: string) => void,
): Promise<object> {
  const { postgres } = scene.stack.file;
  const { url, user = '', password = '' } = scene.stack.nats;
  const env = {
    POSTGRES: postgres,
    NATS: url,
    NATS_USER: user,
    NATS_PASSWORD: password,
    RECEIVER: scene.urlOf('ok/steps'),
  };
  const { program } = await Program.start('steps.mjs', {
    env,
    nodeOptions: nodeFlagsOf('webhook-dispatcher'),
  });
  // The dispatcher sees events without a receiver in them: it stays out of the way.
  process.kill(scene.dispatcherPid, 'SIGSTOP');
  try {
    const tenants = Array.from({ length: TENANTS }, () => ({
      tenantId: randomUUID(),
      sessionId: randomUUID(),
    }));
    const ours = (): Promise<Figures> => deliver(scene, program.pid, tenants);
    say('the steps of a delivery without a dispatcher, as "ours":');
    const compared = await compareSides({ bare, ours }, ROUNDS, say);
    const { perSecond: ratio, cpuMsEach: cpuRatio } = compared.ratio;
    return { ...compared.ours, ratio, cpuRatio };
  } finally {
    process.kill(scene.dispatcherPid, 'SIGCONT');
    program.stop();
  }
}
