import { TIER_CAPS } from '@svc/contracts';
import pg from 'pg';

/** Messages a day by plan, as the specification has them: what is checked does not say what is right. */
const PLAN_CAPS = { STARTER: 1_000, GROWTH: 10_000, ENTERPRISE: 100_000 };

/** The units that counters and messages have, held against each other. */
export interface Units {
  messages: number;
  /** Messages beyond what a session or a plan had for the day. */
  overAdmitted: number;
  /** Number of counted units without a message. */
  leaked: number;
  /** Messages that were not counted. */
  uncounted: number;
  /** Number of accepted sends that have no message. */
  withoutMessage: number;
}

// A unit whose message the platform never saw was given back. Days are those of the reservations; a message without one has no day, and so
// no counter.
const COUNTERS_SQL = `WITH sent AS (
    SELECT reservation.day, message.tenant_id, message.session_id,
      NOT coalesce(failure->'givenBack' ? 'session', false) AS of_session,
      NOT coalesce(failure->'givenBack' ? 'plan', false) AS of_plan
    FROM gateway.message LEFT JOIN limits.reservation ON job_id = message.id WHERE direction = 'OUTBOUND'),
  units AS (
    SELECT 'session' AS scope, session_id AS id, day, count(*) FILTER (WHERE of_session)::int AS messages FROM sent GROUP BY 2, 3
    UNION ALL
    SELECT 'tenant', tenant_id, day, count(*) FILTER (WHERE of_plan)::int FROM sent GROUP BY 2, 3)
  SELECT coalesce(quota.used, 0) AS used, coalesce(units.messages, 0) AS messages,
    CASE scope WHEN 'session' THEN ($1::int[])[1 + coalesce((SELECT tier FROM limits.warmup WHERE session_id = id), 0)]
      ELSE ($2::jsonb->>(SELECT plan FROM billing.subscription WHERE tenant_id = id))::int END AS cap
  FROM limits.quota FULL JOIN units USING (scope, id, day)`;

const MESSAGES_SQL = `SELECT id FROM gateway.message WHERE direction = 'OUTBOUND'`;

/** Compares all counters of both layers with the messages that there are. */
export function countUnits(postgres: string, accepted: ReadonlySet<string>): Promise<Units> {
  return withClient(postgres, async (client) => {
    const parameters = [TIER_CAPS, JSON.stringify(PLAN_CAPS)];
    const counters = await client.query<{ used: number; messages: number; cap: number }>(
      COUNTERS_SQL,
      parameters,
    );
    const messages = new Set((await client.query<{ id: string }>(MESSAGES_SQL)).rows.map(({ id }) => id));
    const sum = (excess: (row: (typeof counters.rows)[number]) => number): number =>
      counters.rows.reduce((total, row) => total + Math.max(0, excess(row)), 0);
    return {
      messages: messages.size,
      overAdmitted: sum((row) => row.messages - row.cap),
      leaked: sum((row) => row.used - row.messages),
      uncounted: sum((row) => row.messages - row.used),
      withoutMessage: [...accepted].filter((id) => !messages.has(id)).length,
    };
  });
}

/** Counts units that are held without a check that they have a message. */
export function unitsInDoubt(postgres: string): Promise<number> {
  return withClient(postgres, async (client) => {
    const { rows } = await client.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM limits.reservation WHERE state = 'held' AND NOT confirmed`,
    );
    return rows[0]?.n ?? 0;
  });
}

async function withClient<T>(postgres: string, ask: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(postgres);
  await client.connect();
  try {
    return await ask(client);
  } finally {
    await client.end();
  }
}
