import pg from 'pg';
import type { Actor } from '../../stack/actor.js';

/** Figures of the calls of a tenant, as the assistant, the limits, the ledger and the model have them. */
export interface CallFigures {
  /** Calls whose answer is written. */
  answered: number;
  /** Calls that may have been answered, and whose answer nobody has. */
  lost: number;
  failed: number;
  /** Calls that nobody has settled. */
  begun: number;
  /** Calls of the day as the limits count them. */
  taken: number;
  tokens: number;
  ledger: number;
  /** Turns by their outcome. */
  outcomes: Record<string, number>;
  /** Calls that the model has begun to answer, and those that it answered to the end. */
  given: { begun: number; complete: number; tokens: number };
}

const SQL = `SELECT count(*) FILTER (WHERE state = 'ANSWERED')::int AS answered, count(*) FILTER (WHERE state = 'LOST')::int AS lost,
    count(*) FILTER (WHERE state = 'FAILED')::int AS failed, count(*) FILTER (WHERE state = 'BEGUN')::int AS begun,
    coalesce(sum(prompt_tokens + completion_tokens), 0)::int AS tokens,
    (SELECT count(*)::int FROM limits.llm_call WHERE tenant_id = $1) AS taken,
    (SELECT coalesce(sum(tokens), 0)::int FROM billing.usage_event WHERE tenant_id = $1) AS ledger
  FROM assistant.model_call WHERE tenant_id = $1`;

const OUTCOMES_SQL = `SELECT concat_ws(' ', coalesce(outcome, state), detail) AS outcome, count(*)::int AS count
  FROM assistant.turn WHERE tenant_id = $1 GROUP BY 1`;

/** Model's own counts, as its control API shows them. */
interface Given {
  chat: { begun: number; complete: number };
  given: { promptTokens: number; completionTokens: number };
}

/** Reads what each side says of the calls of the actor's tenant, which alone asks with this key. */
export async function compareCalls({ stack, tenant }: Actor, key: string): Promise<CallFigures> {
  const client = new pg.Client(stack.file.postgres);
  await client.connect();
  try {
    const { rows } = await client.query<CallFigures>(SQL, [tenant.tenantId]);
    const turns = await client.query<{ outcome: string; count: number }>(OUTCOMES_SQL, [tenant.tenantId]);
    const outcomes = Object.fromEntries(turns.rows.map(({ outcome, count }) => [outcome, count]));
    const { chat, given } = await stack.platform<Given>('GET', `/llm/keys/${key}`);
    const tokens = given.promptTokens + given.completionTokens;
    return {
      ...(rows[0] as CallFigures),
      outcomes,
      given: { begun: chat.begun, complete: chat.complete, tokens },
    };
  } finally {
    await client.end();
  }
}

/**
 * Says whether all agree. An answer that was given to its end, and whose process died before it was written, is lost: its tokens are in no
 * ledger.
 */
export function isSettled({ answered, lost, begun, taken, tokens, ledger, given }: CallFigures): boolean {
  return (
    begun === 0 &&
    taken === answered + lost &&
    ledger === tokens &&
    (given.complete > answered ? tokens <= given.tokens : tokens === given.tokens) &&
    answered <= given.complete &&
    given.complete <= given.begun &&
    given.begun <= answered + lost
  );
}
