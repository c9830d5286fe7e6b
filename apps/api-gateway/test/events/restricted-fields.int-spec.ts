import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { EventLogGrew, type LoggedEvent, type NewTenant, type Scope } from '@svc/contracts';
import { allows } from '../../src/auth/authorization.js';
import { RESTRICTED_FIELDS } from '../../src/auth/restricted-fields.js';
import { gateway, withGateway } from '../support/gateway.js';
import { StreamReader } from '../support/stream-reader.js';

withGateway();

const QR = '2@a code that whoever scans it has the number';
let tenant: NewTenant;

const codeShown = (): LoggedEvent => ({
  ...{ id: randomUUID(), event: 'session.qr_generated', createdAt: '2026-01-31T12:00:00.000Z' },
  payload: { sessionId: randomUUID(), qr: QR, expiresAt: '2026-01-31T12:00:20.000Z' },
});

beforeEach(async () => {
  tenant = await gateway.createTenant();
  gateway.fakes.dispatcher.log = [codeShown()];
});

async function keyWith(scopes: string[]): Promise<string> {
  const { body } = await gateway.call(tenant.apiKey, 'POST /v1/api-keys', { rotates: null, scopes });
  return body['secret'] as string;
}

async function logOf(key: string): Promise<LoggedEvent[]> {
  const { body } = await gateway.call(key, 'GET /v1/events');
  return body['items'] as LoggedEvent[];
}

async function streamOf(key: string): Promise<LoggedEvent[]> {
  const headers = { authorization: `Bearer ${key}` };
  const reader = await StreamReader.open(`${gateway.service.url}/v1/events/stream`, headers, true);
  gateway.fakes.dispatcher.log.push(codeShown());
  gateway.fakes.messaging.notify(EventLogGrew, { tenantIds: [tenant.tenantId] });
  await reader.until(1);
  reader.leave();
  return reader.events.map(({ data }) => data as unknown as LoggedEvent);
}

describe.each([
  ['the log', logOf],
  ['the stream', streamOf],
])('in %s of events', (_where, read) => {
  test.each([['messages:read'], ['messages:read', 'webhooks:manage', 'messages:send']])(
    'a key with %s finds that a QR code is there, and not the code',
    async (...scopes) => {
      const [event] = await read(await keyWith(scopes));
      expect(event).toMatchObject({
        event: 'session.qr_generated',
        payload: { sessionId: expect.any(String) },
      });
      expect(JSON.stringify(event)).not.toContain(QR);
    },
  );

  test('a key with admin:* finds the code', async () => {
    const [event] = await read(tenant.apiKey);
    expect(event?.payload).toMatchObject({ qr: QR });
  });
});

interface Content {
  content?: Record<string, { schema?: { properties?: Record<string, unknown> } }>;
}

interface Operation {
  'x-required-scope'?: Scope;
  responses?: Record<string, Content>;
  requestBody?: Content;
}

/**
 * Facts that a payload tells to keys whose routes do not show them, each with the reason why. A new one fails the test below: it is either
 * restricted or listed here.
 */
const TOLD_TO_ALL = new Set([
  'endpointId', // an event of an endpoint says which; the id opens nothing
  'stage', // a stage opens nothing; challenge and code of the link are in no event
  'state', // the state of a call says whether it rings
  'owner', // the owner of a conversation is in a list that the reader may ask, where it is a person
  'sourceId', // the advertisement that brought a contact; a source of knowledge has one of the same name
  'held', // the reader sees the events anyway that wait for that endpoint
]);

/** An export says where something of the contact is kept, also in deliveries that have failed; of their receivers it shows nothing. */
const TOLD_BY_EXPORT = new Set([
  'turns',
  'events',
  'event',
  'deadLetters',
  'deliveryId',
  'attempts',
  'deadAt',
  'texts', // texts of the contact that the assistant keeps; an answer of its playground has some of the same name
]);

/** Routes whose answers are payloads: they show what others have written down, and so are asked, not trusted. */
const PAYLOAD_ROUTES = [
  '/v1/events',
  '/v1/events/stream',
  '/v1/audit-log',
  '/v1/contacts/{contact}/export',
  '/v1/sandbox/sessions/{id}/contacts/{phone}/messages',
];

interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: { schemas: Record<string, unknown> };
}

/** Names of the fields of a schema, however deep. */
class FieldNames {
  readonly found = new Set<string>();
  private readonly seen = new Set<string>();

  constructor(private readonly schemas: Record<string, unknown>) {}

  add(schema: unknown): this {
    for (const [key, value] of Object.entries(Object(schema) as object)) {
      if (key === 'properties') for (const name of Object.keys(value as object)) this.found.add(name);
      if (key === '$ref') this.follow(String(value).split('/').at(-1) ?? '');
      else if (typeof value === 'object') this.add(value);
    }
    return this;
  }

  private follow(name: string): void {
    if (this.seen.has(name)) return;
    this.seen.add(name);
    this.add(this.schemas[name]);
  }
}

/** Fields that the answers of routes show, by the scope that they need. */
class ShownFields {
  private readonly byScope = new Map<Scope, Set<string>>();

  constructor({ paths, components }: ApiDocument) {
    for (const [path, operations] of Object.entries(paths)) {
      if (PAYLOAD_ROUTES.includes(path)) continue;
      for (const operation of Object.values(operations)) {
        const scope = operation['x-required-scope'];
        if (scope === undefined) continue;
        const { found } = new FieldNames(components.schemas).add(answersOf(operation));
        this.byScope.set(scope, new Set([...found, ...this.of(scope)]));
      }
    }
  }

  /** Lists the fields that routes show, and none that a key with this scope may ask. */
  hiddenFrom(reader: Scope): Set<string> {
    const scopes = [...this.byScope.keys()];
    const mine = scopes.filter((scope) => allows([reader], scope)).flatMap((scope) => this.of(scope));
    return new Set(scopes.flatMap((scope) => this.of(scope)).filter((name) => !mine.includes(name)));
  }

  private of(scope: Scope): string[] {
    return [...(this.byScope.get(scope) ?? [])];
  }
}

function answersOf({ responses }: Operation): unknown[] {
  return Object.entries(responses ?? {})
    .filter(([status]) => status.startsWith('2'))
    .map(([, { content }]) => content);
}

describe('no payload shows to a key what no route shows to it', () => {
  let document: ApiDocument;
  let shown: ShownFields;
  beforeAll(async () => {
    const response = await fetch(`${gateway.service.url}/openapi.json`);
    document = (await response.json()) as ApiDocument;
    shown = new ShownFields(document);
  });

  const tooMuch = (reader: Scope, schema: unknown): string[] => {
    const hidden = shown.hiddenFrom(reader);
    return [...new FieldNames(document.components.schemas).add(schema).found].filter(
      (name) => hidden.has(name) && !TOLD_TO_ALL.has(name),
    );
  };

  test('keys, codes and secrets are among what is hidden, whatever the method of their route', () => {
    const hidden = shown.hiddenFrom('messages:read');
    for (const name of ['qr', 'secret', 'webhookSecret']) expect(hidden).toContain(name);
    expect(shown.hiddenFrom('admin:*')).toEqual(new Set());
  });

  test('in the log of events', () => {
    const open = Object.entries(document.webhooks).flatMap(([event, { post }]) => {
      const payload = post.requestBody?.content?.['application/json']?.schema?.properties?.['payload'];
      expect(payload).toBeDefined();
      return tooMuch('messages:read', payload)
        .filter((name) => !RESTRICTED_FIELDS[event]?.[name])
        .map((name) => `${event}: ${name}`);
    });
    expect(open).toEqual([]);
  });

  test.each(PAYLOAD_ROUTES.slice(2))('in %s', (path) => {
    const get = document.paths[path]?.['get'] as Operation;
    const told = path.endsWith('/export') ? TOLD_BY_EXPORT : new Set();
    const names = tooMuch(get['x-required-scope'] as Scope, answersOf(get));
    expect(names.filter((name) => !told.has(name))).toEqual([]);
  });
});
