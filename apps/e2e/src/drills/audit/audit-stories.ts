import { PLANS } from '@svc/contracts';
import type { NewTenant } from '../../stack/actor.js';
import { type Books, changeKey, FIRST_KEY, LEAST_OVERRIDE } from './audit-books.js';
import { type Client, operate } from './audit-client.js';

/** Scene of the stories. */
export interface Scene {
  books: Books;
  /** An address that may receive webhooks. */
  url: string;
  /** Names of tenants that the operator has tried to make. */
  tenants: string[];
  /** Plans of the tenants whose subscription the operator sets. */
  plans: Map<string, string>;
}

/** A few changes of one thing, of a tenant who does one thing after the other. */
export type Story = (client: Client, scene: Scene) => Promise<void>;

const KEY = 'drill';

const keys: Story = async (client, { books }) => {
  const { tenantId } = client.tenant;
  const make = (rotates: string | null, prefix: string) =>
    client.call('POST', '/v1/api-keys', () => ({
      name: client.name(prefix),
      rotates,
      scopes: ['messages:read'],
    }));
  const { body: first } = await make(null, KEY);
  const kid = String(first['kid']);
  // The keys that this has made show the number of its rotations.
  const { body: second } = await make(kid, `${KEY} ${kid}`);
  const successor = String(second['kid']);
  for (const made of [first, second]) client.keys.set(String(made['kid']), String(made['name']));
  await client.call('DELETE', `/v1/api-keys/${successor}`, undefined, [404]);
  books.note(changeKey(tenantId, 'api_key.revoked', successor));
};

const webhook: Story = async (client, { books, url }) => {
  const { tenantId } = client.tenant;
  const id = await makeEndpoint(client, url);
  const path = `/v1/webhooks/${id}`;
  const name = client.name('changed');
  await client.call('PATCH', path, () => ({ name }));
  books.note(changeKey(tenantId, 'webhook.updated', id, name));
  for (const [verb, action] of [
    ['pause', 'webhook.paused'],
    ['reactivate', 'webhook.reactivated'],
  ] as const) {
    await client.call('POST', `${path}/${verb}`, () => ({ reason: 'drill' }));
    books.note(changeKey(tenantId, action, id));
  }
  await client.call('DELETE', path, undefined, [404]);
  client.deleted.webhook.push(id);
  books.note(changeKey(tenantId, 'webhook.deleted', id));
};

/** Story of an endpoint that stays: its row has the number of rotations at the end. */
const rotation: Story = async (client, { url }) => {
  const id = await makeEndpoint(client, url);
  await client.call('POST', `/v1/webhooks/${id}/rotate-secret`);
};

async function makeEndpoint(client: Client, url: string): Promise<string> {
  const { body } = await client.call('POST', '/v1/webhooks', () => ({
    ...{ name: client.name('endpoint'), url, events: ['session.connected'] },
  }));
  return String(body['id']);
}

const mode: Story = async (client, { books, url }) => {
  const { tenantId } = client.tenant;
  const id = await makeSession(client);
  const put = (body: object) =>
    client.call('PUT', `/v1/sessions/${id}/external-config`, () => ({ enabled: true, ...body }));
  await put({ webhookUrl: url });
  books.note(changeKey(tenantId, 'webhook.created', id));
  books.note(changeKey(tenantId, 'bot_mode.changed', id, 'EXTERNAL'));
  await put({ webhookUrl: `${url}/other` });
  books.note(changeKey(tenantId, 'webhook.updated', id, 'url'));
  await put({ rotateSecret: true });
  await put({ enabled: false });
  books.note(changeKey(tenantId, 'bot_mode.changed', id, 'MANAGED'));
};

const deletion: Story = async (client, { books, url }) => {
  const { tenantId } = client.tenant;
  const id = await makeSession(client);
  const path = `/v1/sessions/${id}`;
  await client.call('PUT', `${path}/external-config`, () => ({ enabled: true, webhookUrl: url }));
  books.note(changeKey(tenantId, 'webhook.created', id));
  books.note(changeKey(tenantId, 'bot_mode.changed', id, 'EXTERNAL'));
  await client.call('DELETE', path, undefined, [404]);
  books.note(changeKey(tenantId, 'webhook.deleted', id));
};

const tiers: Story = async (client, { books }) => {
  const { tenantId } = client.tenant;
  const id = await makeSession(client);
  for (const tier of [1, 2, 4]) {
    const body = () => ({ tier, reason: 'drill' });
    // A repeat of what is done already is refused: it is no promotion.
    await client.call('POST', `/v1/sessions/${id}/promote-warmup-tier`, body, [400]);
    books.note(changeKey(tenantId, 'warmup_tier.promoted', id, tier));
  }
};

async function makeSession(client: Client): Promise<string> {
  const { body } = await client.call('POST', '/v1/sessions', () => ({ name: client.name('session') }));
  return String(body['id']);
}

const widgets: Story = async (client, { books }) => {
  const { tenantId } = client.tenant;
  const sessionId = await makeSession(client);
  const { body } = await client.call('POST', '/v1/widgets', () => ({
    ...{
      sessionId,
      title: client.name('widget'),
      greeting: 'Hello',
      allowedOrigins: ['https://www.example.com'],
    },
  }));
  const id = String(body['id']);
  // Each update has an entry, also one that changes nothing: a repeat is made only where the first try was not carried out.
  const title = client.name('changed');
  const isChanged = async (): Promise<boolean> =>
    (await client.call('GET', `/v1/widgets/${id}`)).body['title'] === title;
  for (let done = false; !done; done = await isChanged())
    await client.once('PATCH', `/v1/widgets/${id}`, { title });
  books.note(changeKey(tenantId, 'widget.updated', id));
  await client.call('DELETE', `/v1/widgets/${id}`, undefined, [404]);
  client.deleted.widget.push(id);
  books.note(changeKey(tenantId, 'widget.deleted', id));
};

const subscription: Story = async (client, { books, plans }) => {
  const { tenantId } = client.payer;
  const before = plans.get(tenantId) as string;
  const plan = PLANS[(PLANS.indexOf(before as never) + 1) % PLANS.length] as string;
  const words = ['subscriptions', 'set', tenantId, 'ACTIVE', '--plan', plan];
  await operate(client.stack, ...words.map((word) => () => word));
  plans.set(tenantId, plan);
  books.note(changeKey(tenantId, 'subscription.changed', tenantId, `${before} to ${plan}`));
};

const entitlement: Story = async (client, { books }) => {
  const { tenantId } = client.payer;
  const value = LEAST_OVERRIDE + client.number();
  const about = ['--reason', 'drill'];
  for (const [verb, argument] of [
    ['set', `messages=${value}`],
    ['clear', 'messages'],
  ] as const) {
    const words = ['entitlements', verb, tenantId, argument, ...about];
    await operate(client.stack, ...words.map((word) => () => word));
    books.note(changeKey(tenantId, 'subscription.changed', tenantId, `${verb} ${value}`));
  }
};

const suspension: Story = async (client, { books }) => {
  const { tenantId } = client.payer;
  for (const [verb, action] of [
    ['suspend', 'tenant.suspended'],
    ['resume', 'tenant.resumed'],
  ] as const) {
    await operate(client.stack, ...['tenants', verb, tenantId].map((word) => () => word));
    books.note(changeKey(tenantId, action, tenantId));
  }
};

const tenant: Story = async (client, { tenants }) => {
  const name = (): string => {
    tenants.push(client.name('made'));
    return tenants.at(-1) as string;
  };
  const words = ['--plan', 'GROWTH'].map((word) => () => word);
  await operate<NewTenant>(
    client.stack,
    () => 'tenants',
    () => 'create',
    () => '--name',
    name,
    ...words,
  );
};

/** The stories, each as often as it stands here. */
export const STORIES: Story[] = [
  ...[keys, webhook, webhook, rotation, mode, mode, deletion, deletion],
  ...[tiers, tiers, widgets, subscription, subscription, entitlement, suspension, tenant],
];

/** Notes the objects that were made, as the lists have them at the end: also by calls whose answers were lost. */
export async function noteMade(client: Client, { books }: Scene): Promise<void> {
  const { tenantId } = client.tenant;
  const made = new Map(client.keys);
  for (const { kid, name } of await client.list('/v1/api-keys')) made.set(String(kid), String(name));
  for (const [kid, name] of made) {
    const [prefix, rotated = ''] = name.split(' ');
    if (name !== FIRST_KEY) books.note(changeKey(tenantId, 'api_key.created', kid));
    if (prefix === KEY && made.has(rotated)) books.note(changeKey(tenantId, 'api_key.rotated', rotated));
  }
  const endpoints = (await client.list('/v1/webhooks')).filter(({ sessionId }) => sessionId === null);
  const all = { webhook: endpoints, widget: await client.list('/v1/widgets') };
  for (const kind of ['webhook', 'widget'] as const) {
    const ids = [...all[kind].map(({ id }) => String(id)), ...client.deleted[kind]];
    for (const id of new Set(ids)) books.note(changeKey(tenantId, `${kind}.created`, id));
  }
}
