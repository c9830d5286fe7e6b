import { measured, quantile } from '../../figures.js';
import type { Benchmark } from '../../named-run.js';
import { WebhookScene } from '../../stack/webhook-scene.js';

const TENANTS = 20;
const PER_SECOND = 200;
const SECONDS = 15;
const ROUNDS = 3;
const MOST_P95_MS = 25;
const MOST_P50_MS = 6;

/** Measures the time from the moment an event was to be published until its receiver has it. */
export const webhookLatency: Benchmark = {
  summary: `time from an event to its receiver at ${PER_SECOND} a second`,
  bound: `p95 <= ${MOST_P95_MS} ms, p50 <= ${MOST_P50_MS} ms, from the intended time of each event, none lost`,
  judged: { p50Ms: 'lower', p95Ms: 'lower', lost: 'lower' },
  async run({ say }) {
    const scene = await WebhookScene.start();
    try {
      const subscribers = await scene.subscribe('ok', TENANTS);
      const rounds: Record<'p50Ms' | 'p95Ms' | 'p99Ms' | 'lost', number>[] = [];
      for (let n = 0; n <= ROUNDS; n += 1) {
        const times = await scene.latencies(subscribers, PER_SECOND, SECONDS);
        const round = {
          ...{ p50Ms: quantile(times, 0.5), p95Ms: quantile(times, 0.95), p99Ms: quantile(times, 0.99) },
          lost: PER_SECOND * SECONDS - times.length,
        };
        if (n > 0) rounds.push(round); // the first one warms up
        say(`  round ${n}: ${JSON.stringify(round)}`);
      }
      const of = (figure: 'p50Ms' | 'p95Ms' | 'p99Ms') => measured(rounds.map((round) => round[figure]));
      const lost = rounds.reduce((sum, round) => sum + round.lost, 0);
      const figures = { p50Ms: of('p50Ms'), p95Ms: of('p95Ms'), p99Ms: of('p99Ms'), lost };
      const isSoon = figures.p95Ms.median <= MOST_P95_MS && figures.p50Ms.median <= MOST_P50_MS;
      return { figures, holds: isSoon && lost === 0 };
    } finally {
      await scene.stop();
    }
  },
};
