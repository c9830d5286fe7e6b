import { randomUUID } from 'node:crypto';
import { Reserve, TIER_CAPS } from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import pg from 'pg';
import { quantile, round3 } from '../../figures.js';
import type { Benchmark } from '../../named-run.js';
import { Program } from '../../stack/program.js';
import { Stack } from '../../stack/stack.js';
import { compareSides } from '../sides.js';

const COUNT = 8_000;
const CLIENTS = 64;
const ROUNDS = 5;
const LEAST_RATIO = 0.5;
/** Number of sessions: all rounds of both sides stay below the 5,000 a day of the highest tier. */
const SESSIONS = 256;
const TENANTS = { spread: 16, oneTenant: 1 };

/** Entitlements without a cap that would be reached. */
const EXEMPT = { plan: 'ENTERPRISE' as const, internal: true, caps: { messages: null, calls: null } };

/** Session whose units are taken. */
interface SessionOfTenant {
  tenantId: string;
  sessionId: string;
}

/** Reservations a second, asked for by request, beside a loop that calls the database function itself. */
export const reserve: Benchmark = {
  summary: 'reservations per second through RPC, against a loop that calls the database function',
  bound: `ratio >= ${LEAST_RATIO} over ${TENANTS.spread} tenants and for a single one; ${SESSIONS} sessions, ${CLIENTS} clients`,
  judged: { 'spread.ratio.perSecond': 'higher', 'oneTenant.ratio.perSecond': 'higher' },
  async run({ say }) {
    const stack = await Stack.start();
    const { postgres } = stack.file;
    const { program } = await Program.start('reserver.mjs', { env: { DATABASE_URL: postgres } });
    const rpc = RpcClient.at(stack.nats, 'bench');
    try {
      const figures: Record<string, object> = {};
      const ratios: number[] = [];
      for (const [name, tenants] of Object.entries(TENANTS)) {
        say(` ${name}`);
        const sessions = await makeSessions(postgres, tenants);
        const sides = { bare: () => bare(program, sessions), ours: () => ours(rpc, sessions) };
        const compared = await compareSides(sides, ROUNDS, say);
        figures[name] = { ...compared };
        ratios.push(compared.ratio.perSecond);
      }
      return { figures, holds: ratios.every((ratio) => ratio >= LEAST_RATIO) };
    } finally {
      program.stop();
      await rpc.onApplicationShutdown();
      await stack.stop();
    }
  },
};

/** Makes sessions in the highest tier. */
async function makeSessions(postgres: string, tenants: number): Promise<SessionOfTenant[]> {
  const tenantIds = Array.from({ length: tenants }, () => randomUUID());
  const sessions = Array.from({ length: SESSIONS }, (_, n) => ({
    tenantId: tenantIds[n % tenants] as string,
    sessionId: randomUUID(),
  }));
  const client = new pg.Client(postgres);
  await client.connect();
  try {
    await client.query(
      `INSERT INTO limits.warmup (session_id, tenant_id, tier, tier_since)
       SELECT session_id, tenant_id, $3, now() FROM unnest($1::uuid[], $2::uuid[]) AS t (session_id, tenant_id)`,
      [sessions.map((one) => one.sessionId), sessions.map((one) => one.tenantId), TIER_CAPS.length - 1],
    );
  } finally {
    await client.end();
  }
  return sessions;
}

type Figures = Record<'perSecond' | 'p50Ms' | 'p99Ms', number>;

async function bare(program: Program, sessions: SessionOfTenant[]): Promise<Figures> {
  const argument = { sessions, count: COUNT, clients: CLIENTS, tierCaps: TIER_CAPS };
  const { result } = (await program.ask('reserve', argument)) as {
    result: { seconds: number; times: number[] };
  };
  return figuresOf(result.seconds, result.times);
}

async function ours(rpc: RpcClient, sessions: SessionOfTenant[]): Promise<Figures> {
  const times: number[] = [];
  let left = COUNT;
  const client = async (): Promise<void> => {
    while (left-- > 0) {
      const session = sessions[left % sessions.length] as SessionOfTenant;
      const askedAt = performance.now();
      const send = { ...session, jobId: randomUUID(), ...EXEMPT };
      const { admitted, refusal } = await rpc.request(Reserve, send);
      if (!admitted) throw new Error(`refused by ${refusal?.layer}`);
      times.push(performance.now() - askedAt);
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return figuresOf((performance.now() - startedAt) / 1000, times);
}

function figuresOf(seconds: number, times: number[]): Figures {
  const sorted = times.toSorted((a, b) => a - b);
  return {
    perSecond: round3(times.length / seconds),
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
  };
}
