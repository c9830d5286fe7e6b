import pg from 'pg';
import type { Stack } from '../../stack/stack.js';

/** A line of an audit log, as far as it is compared. */
export interface Line {
  tenantId: string;
  action: string;
  target: string;
  details: Record<string, unknown>;
}

/** The comparison of the changes with the lines; all but `lines` are 0 where all is well. */
export interface Differences {
  lines: number;
  /** Changes without a line. */
  missing: number;
  /** Lines beyond the first of a change. */
  doubled: number;
  /** Lines of which there was no change. */
  unexpected: number;
}

/** Functions that read the subject of an entry besides its target: several changes of one thing differ by it. */
const MARKS: Record<string, (details: Record<string, unknown>) => unknown> = {
  'webhook.updated': ({ name, fields }) => (String(fields) === 'url' ? 'url' : name),
  'bot_mode.changed': ({ after }) => after,
  'warmup_tier.promoted': ({ tier }) => tier,
  'subscription.changed': ({ entitlement, previousPlan, plan }) =>
    entitlement ? overrideMark(entitlement as Override) : `${String(previousPlan)} to ${String(plan)}`,
};

interface Override {
  previous: unknown;
  value: unknown;
}

/** An override of the drill is at least this, which is more than any plan has. */
export const LEAST_OVERRIDE = 10_000_000;

/** Says of a change of an entitlement which override of the drill it set, or ended. */
function overrideMark({ previous, value }: Override): string {
  return Number(value) >= LEAST_OVERRIDE ? `set ${String(value)}` : `clear ${String(previous)}`;
}

/** Actions that are no change, such as reading a secret: the number of their entries follows the number of repeats. */
const NO_CHANGES = ['webhook_secret.read'];

/** Names a change: by tenant, action, what it was done to, and what about it. */
export function changeKey(tenantId: string, action: string, target: string, mark: unknown = ''): string {
  return `${tenantId} ${action} ${target} ${String(mark)}`.trim();
}

/** Makes the key of an entry: a change whose id its caller never got is identified by the facts that the caller has. */
function keyOfLine({ tenantId, action, target, details }: Line): string {
  const { sessionId, name } = details;
  const isBound = typeof sessionId === 'string' && action.startsWith('webhook.');
  const isFirst = action === 'member.added' || (action === 'api_key.created' && name === FIRST_KEY);
  const of = isBound ? sessionId : isFirst ? tenantId : target;
  return changeKey(tenantId, action, of, MARKS[action]?.(details));
}

/** The key that every tenant begins with. */
export const FIRST_KEY = 'First key';

/** Books of the changes that were carried out. */
export class Books {
  private readonly expected = new Map<string, number>();

  get changes(): number {
    return [...this.expected.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Notes a change, or as many of one kind. */
  note(key: string, count = 1): void {
    this.expected.set(key, (this.expected.get(key) ?? 0) + count);
  }

  /** Notes that the operator has made a tenant, with its first member and its first key. */
  noteTenant(tenantId: string): void {
    for (const action of ['tenant.created', 'member.added', 'api_key.created'])
      this.note(changeKey(tenantId, action, tenantId));
  }

  compare(lines: Line[], say: (line: string) => void): Differences {
    const actual = new Map<string, number>();
    for (const line of lines) {
      if (NO_CHANGES.includes(line.action)) continue;
      const key = keyOfLine(line);
      actual.set(key, (actual.get(key) ?? 0) + 1);
    }
    const found: Differences = { lines: 0, missing: 0, doubled: 0, unexpected: 0 };
    for (const key of new Set([...this.expected.keys(), ...actual.keys()])) {
      const [want, have] = [this.expected.get(key) ?? 0, actual.get(key) ?? 0];
      found.lines += have;
      found.missing += Math.max(0, want - have);
      if (want === 0) found.unexpected += have;
      else found.doubled += Math.max(0, have - want);
      if (want !== have) say(`  ${have} lines of ${want} changes: ${key}`);
    }
    return found;
  }
}

const WAITING_SQL = `SELECT (SELECT count(*) FROM webhooks.audit_outbox) + (SELECT count(*) FROM sessions.audit_outbox)
    + (SELECT count(*) FROM limits.audit_outbox) + (SELECT count(*) FROM billing.audit_outbox)
    + (SELECT count(*) FROM sessions.session WHERE wanted = 'DELETED')
    + (SELECT count(*) FROM sessions.event_outbox)
    + (SELECT count(*) FROM webhooks.session_deletion WHERE due_at IS NOT NULL)
    + (SELECT count(*) FROM webhooks.webhook_endpoint WHERE session_id IS NOT NULL
        AND session_id NOT IN (SELECT id FROM sessions.session)) AS waiting`;
const ROTATIONS_SQL = `SELECT tenant_id AS "tenantId", coalesce(session_id, id) AS target, jsonb_array_length(previous_secrets) AS count
  FROM webhooks.webhook_endpoint WHERE previous_secrets <> '[]'`;

/** Counts what is on its way into an audit log, or still to be deleted with a line of it. */
export async function waitingFacts(stack: Stack): Promise<number> {
  const [row] = await read<{ waiting: string }>(stack, WAITING_SQL);
  return Number(row?.waiting);
}

/** Notes the number of rotations of the endpoints' secrets: a call whose answer was lost may have made one or not. */
export async function noteRotations(stack: Stack, books: Books): Promise<void> {
  const rows = await read<{ tenantId: string; target: string; count: number }>(stack, ROTATIONS_SQL);
  for (const { tenantId, target, count } of rows)
    books.note(changeKey(tenantId, 'webhook_secret.rotated', target), count);
}

async function read<T extends pg.QueryResultRow>(stack: Stack, sql: string): Promise<T[]> {
  const client = new pg.Client(stack.file.postgres);
  await client.connect();
  try {
    return (await client.query<T>(sql)).rows;
  } finally {
    await client.end();
  }
}
