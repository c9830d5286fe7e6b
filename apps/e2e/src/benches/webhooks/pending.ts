import { setTimeout as delay } from 'node:timers/promises';
import { round3 } from '../../figures.js';
import { Inspector, memoryWhenIdle } from '../../stack/inspector.js';
import type { Benchmark } from '../../named-run.js';
import { DISPATCHER, WebhookScene } from '../../stack/webhook-scene.js';

const MB = 1024 * 1024;
const ENDPOINTS = 50;
const COUNTS = [1_000, 100_000, 1_000_000];
const PER_SECOND = 100;
/** Length of a run in seconds; memory is measured in the last twenty of them. */
const SECONDS = 30;
const FIRST_LOOK_MS = 10_000;
const WARM_UP = 2_000;
const MOST_RATIO = 1.1;

// Half of the rows are due in an hour, half long due: behind receivers that do not answer.
const PENDING_SQL = `WITH endpoint AS (SELECT row_number() OVER (ORDER BY id) - 1 AS place, id, tenant_id FROM webhooks.webhook_endpoint
    WHERE name = 'dead'),
  lease AS (SELECT DISTINCT tenant_id, p FROM webhooks.webhook_delivery),
  event AS (INSERT INTO webhooks.webhook_event (id, tenant_id, session_id, conversation, kind, payload, created_at)
    SELECT gen_random_uuid(), endpoint.tenant_id, NULL, n, 'message.received', convert_to('{"text":"' || repeat('x', 400) || '"}', 'UTF8'), now()
    FROM generate_series(1, $1::int) n JOIN endpoint ON endpoint.place = n % (SELECT count(*) FROM endpoint)
    RETURNING id, tenant_id, conversation)
  INSERT INTO webhooks.webhook_delivery (id, event_id, endpoint_id, tenant_id, p, attempt, state, next_at, kind, event_at)
  SELECT gen_random_uuid(), event.id, endpoint.id, event.tenant_id, lease.p, 2, 'scheduled',
    now() + CASE conversation % 2 WHEN 0 THEN interval '1 hour' ELSE interval '0' END, 'message.received', now()
  FROM event JOIN endpoint USING (tenant_id) JOIN lease USING (tenant_id)`;

/** Measures what the dispatcher holds in memory for what waits in the database. */
export const pending: Benchmark = {
  summary: `memory of the dispatcher with ${COUNTS.join(', ')} deliveries pending`,
  bound: `RSS under ${PER_SECOND}/s of traffic, the largest <= ${MOST_RATIO} x the least; all of them pending still; none of the traffic lost`,
  judged: { ratio: 'lower' },
  async run({ say }) {
    const scene = await WebhookScene.start();
    const inspector = await Inspector.of(scene.stack, DISPATCHER);
    try {
      const healthy = await scene.subscribe('ok', 1);
      // The growth of a process at the begin of its work is not an effect of waiting deliveries.
      await scene.flood(healthy, WARM_UP);
      await scene.posted(0, WARM_UP);
      const dead = await scene.subscribe('dead', ENDPOINTS);
      // Each of them has a delivery, from which the others are made.
      await scene.flood(dead, ENDPOINTS);
      await scene.quiet();
      const looks: { made: number; pending: number; rssMb: number; heapMb: number; lost: number }[] = [];
      let made = ENDPOINTS;
      for (const count of COUNTS) {
        await scene.execute(PENDING_SQL, [count - made]);
        made = count;
        const [times, { rss, heapUsed }] = await Promise.all([
          scene.latencies(healthy, PER_SECOND, SECONDS),
          delay(FIRST_LOOK_MS).then(() => memoryWhenIdle(() => inspector.memory())),
        ]);
        const look = {
          ...{ made, pending: await scene.pending(), rssMb: round3(rss / MB), heapMb: round3(heapUsed / MB) },
          lost: PER_SECOND * SECONDS - times.length,
        };
        looks.push(look);
        say(`  ${JSON.stringify(look)}`);
      }
      const sizes = looks.map(({ rssMb }) => rssMb);
      const ratio = round3(Math.max(...sizes) / Math.min(...sizes));
      return {
        figures: { looks, ratio },
        holds: ratio <= MOST_RATIO && looks.every(({ made, pending, lost }) => pending >= made && lost === 0),
      };
    } finally {
      inspector.close();
      await scene.stop();
    }
  },
};
