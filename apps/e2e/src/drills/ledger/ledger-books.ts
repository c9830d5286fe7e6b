import { PLANS, type Plan, TOKEN_BLOCK } from '@svc/contracts';
import type { StandInInvoice, StripeStandIn } from '@svc/testing';
import pg from 'pg';

/** Tokens a month that each plan includes, as `billing` has them by default. */
const INCLUDED: Record<Plan, number> = { STARTER: 5_000_000, GROWTH: 20_000_000, ENTERPRISE: 70_000_000 };

/** Truth of the drill: tokens by `<tenant>:<month>`, and tenants whose plan never changed. */
export interface Truth {
  tokens: Map<string, number>;
  steady: Map<string, Plan>;
}

/** Differences between what was used, the ledger, the provider and its invoices; all of them are 0 where all is well. */
export interface Differences {
  /** Number of tenants' months whose tokens are not those that were used. */
  tokens: number;
  /** Number of months whose blocks do not follow from their tokens, of tenants whose plan never changed. */
  blocks: number;
  /** Blocks of the ledger that are not at the provider exactly once, at their price. */
  atProvider: number;
  /** Number of the provider's items that are not in the ledger. */
  foreign: number;
  /** Blocks that are on no invoice, or on more than one. */
  onInvoices: number;
  /** Cents between all invoices and plans and blocks together. */
  cents: number;
  /** Number of tenants whose plan or state is not the provider's. */
  subscriptions: number;
}

interface Block {
  key: string;
  cents: number;
  item_id: string | null;
}

const count = <T>(list: Iterable<T>, isWrong: (one: T) => boolean): number =>
  [...list].filter(isWrong).length;

/** Reads the ledger, and compares it with everything that it has to agree with. */
export async function compareBooks(
  postgres: string,
  stripe: StripeStandIn,
  truth: Truth,
): Promise<Differences> {
  const client = new pg.Client(postgres);
  await client.connect();
  try {
    const read = async <T extends object>(sql: string): Promise<T[]> => (await client.query<T>(sql)).rows;
    const periods = await read<{ key: string; tokens: string; blocks: number }>(
      `SELECT tenant_id || ':' || to_char(period, 'YYYY-MM') AS key, tokens, blocks FROM billing.usage_period`,
    );
    const blocks = await read<Block>(
      `SELECT tenant_id || ':' || to_char(period, 'YYYY-MM') || ':' || number AS key, cents, item_id FROM billing.token_block`,
    );
    const states = await read<{ id: string; state: string }>(
      `SELECT provider_id AS id, status || ' ' ||
         CASE WHEN next_plan_at <= svc_now() THEN next_plan ELSE plan END AS state
       FROM billing.subscription WHERE provider_id IS NOT NULL`,
    );
    const sums = new Map(periods.map(({ key, tokens }) => [key, Number(tokens)]));
    return {
      tokens:
        count(truth.tokens, ([key, tokens]) => sums.get(key) !== tokens) +
        count(sums.keys(), (key) => !truth.tokens.has(key)),
      blocks: count(periods, ({ key, tokens, blocks }) => {
        const plan = truth.steady.get(key.split(':')[0] ?? '');
        return plan !== undefined && blocks !== blocksOf(Number(tokens), INCLUDED[plan]);
      }),
      ...compareItems(blocks, stripe),
      subscriptions: count(states, ({ id, state }) => state !== stateAt(stripe, id)),
    };
  } finally {
    await client.end();
  }
}

function compareItems(
  blocks: Block[],
  stripe: StripeStandIn,
): Pick<Differences, 'atProvider' | 'foreign' | 'onInvoices' | 'cents'> {
  const { items, invoices } = stripe.world;
  const keyOf = ({ metadata }: { metadata: Record<string, string> }): string =>
    `${metadata['tenantId']}:${metadata['month']}:${metadata['block']}`;
  const blockKeys = new Set(blocks.map(({ key }) => key));
  const onInvoices = invoices.flatMap((invoice: StandInInvoice) => invoice.items.map(keyOf));
  const sum = (numbers: number[]): number => numbers.reduce((total, one) => total + one, 0);
  return {
    atProvider: count(blocks, ({ key, cents, item_id }) => {
      const same = items.filter((item) => keyOf(item) === key);
      return same.length !== 1 || same[0]?.id !== item_id || same[0].amount !== cents;
    }),
    foreign: count(items, (item) => !blockKeys.has(keyOf(item))),
    onInvoices: count(blockKeys, (key) => onInvoices.filter((one) => one === key).length !== 1),
    cents:
      sum(invoices.map(({ total }) => total)) -
      sum(invoices.map(({ planAmount }) => planAmount)) -
      sum(blocks.map(({ cents }) => cents)),
  };
}

function stateAt({ world }: StripeStandIn, id: string): string {
  const subscription = world.subscriptions.get(id);
  const plan = PLANS[Object.keys(world.prices).indexOf(subscription?.price ?? '')];
  return `${subscription?.status.toUpperCase()} ${plan}`;
}

function blocksOf(tokens: number, included: number): number {
  return Math.max(0, Math.ceil((tokens - included) / TOKEN_BLOCK));
}
