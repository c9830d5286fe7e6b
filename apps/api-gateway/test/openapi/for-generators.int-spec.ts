import { beforeAll, expect, test } from '@jest/globals';
import { ERROR_CATALOGUE } from '@svc/contracts';
import { type ApiDocument, resolveSchema } from '@svc/testing';
import { RESTRICTED_FIELDS } from '../../src/auth/restricted-fields.js';
import { type Description, everyPart, operationsOf, type Schema } from '../support/description.js';
import { gateway, withGateway } from '../support/gateway.js';

withGateway();

let document: Description;

beforeAll(async () => {
  document = (await gateway.call(undefined, 'GET /openapi.json')).body as unknown as Description;
});

/** Lists the places of the parts that a rule finds fault with. */
function placesWhere(
  isWrong: (part: Schema, place: string) => boolean,
  within: unknown = document,
): string[] {
  const places: string[] = [];
  everyPart(within, (part, place) => isWrong(part, place) && places.push(place));
  return places;
}

/** Collects the schemas that this leads to, by name. */
function schemasBelow(value: unknown, found: Record<string, Schema> = {}): Record<string, Schema> {
  for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (name in found) continue;
    found[name] = document.components.schemas[name] as Schema;
    schemasBelow(found[name], found);
  }
  return found;
}

const bodies = (): unknown[] => operationsOf(document).map(([, { requestBody }]) => requestBody ?? null);

test('words beside a reference need no allOf of one', () => {
  expect(placesWhere(({ allOf }) => Array.isArray(allOf) && allOf.length < 2)).toEqual([]);
});

// Generators make a field with a default one that must be given, and a default that may be refused is none.
test('no field of a request has a default', () => {
  const requests = schemasBelow(bodies());
  expect(Object.keys(requests).length).toBeGreaterThan(30);
  const isDefault = (part: Schema, place: string): boolean =>
    'default' in part && !place.endsWith('/properties');
  expect(placesWhere(isDefault, requests)).toEqual([]);
});

test('every time has the format of one', () => {
  const named = /(At|Since|Until|timestamp|^now)$/;
  const isTime = (name: string, { type, example }: Schema): boolean =>
    [type].flat().includes('string') && (named.test(name) || /^\d{4}-\d\d-\d\dT/.test(String(example)));
  const times: string[] = [];
  const wrong: string[] = [];
  everyPart(document, ({ properties = {} }, place) => {
    for (const [name, schema] of Object.entries(properties)) {
      if (!isTime(name, schema)) continue;
      times.push(name);
      if (schema['format'] !== 'date-time') wrong.push(`${place}.${name}`);
    }
  });
  expect(times.length).toBeGreaterThan(60);
  expect(wrong).toEqual([]);
  for (const [route, { parameters }] of operationsOf(document)) {
    for (const { name, schema, example } of parameters) {
      const isOne = /^\d{4}-\d\d-\d\dT/.test(String(example ?? schema['example']));
      if (isOne) expect([route, name, schema['format']]).toEqual([route, name, 'date-time']);
    }
  }
});

test('an enum of an answer or an event is open and says so, one of a request is closed', () => {
  const requests = schemasBelow(bodies());
  const answers = schemasBelow([document.webhooks, document.components, document.paths]);
  const isClosed = (part: Schema): boolean => Array.isArray(part['enum']) && part['enum'].length > 1;
  const isOpen = (part: Schema): boolean => 'x-extensible-enum' in part;
  const onlyAnswers = Object.fromEntries(Object.entries(answers).filter(([name]) => !(name in requests)));
  expect(placesWhere(isClosed, onlyAnswers)).toEqual([]);
  expect(placesWhere(isOpen, requests)).toEqual([]);
  expect(placesWhere(isOpen, onlyAnswers).length).toBeGreaterThan(30);
  const isSilent = (part: Schema): boolean =>
    isOpen(part) && part.description !== undefined && !part.description.endsWith('More may come.');
  expect(placesWhere(isSilent)).toEqual([]);
});

test('a field that is always there is required, in answers and in events', () => {
  const always = [
    ...['chatId', 'isGroup', 'receivedAt', 'conversationId', 'pushName', 'phone', 'clientMessageId'],
    ...['proxy', 'status', 'reason', 'willReconnect', 'statusReason'],
  ];
  const answers = Object.entries(schemasBelow([document.webhooks, document.components, document.paths]));
  const requests = schemasBelow(bodies());
  const found = new Set<string>();
  const optional: string[] = [];
  for (const [name, schema] of answers.filter(([name]) => !(name in requests))) {
    everyPart(schema, ({ properties = {}, required = [] }) => {
      for (const field of always.filter((one) => one in properties)) {
        found.add(field);
        if (!(required as string[]).includes(field)) optional.push(`${name}.${field}`);
      }
    });
  }
  expect([...found].sort()).toEqual(always.sort());
  // Only a step that failed has a reason, and only a QR code that is drawn anew.
  const reasons = ['SessionQrGeneratedV1.reason', 'PasskeyChangedV1.reason'];
  expect(optional).toEqual([...reasons, 'LoggedSessionQrGeneratedPayload.reason']);
});

/** Finds the name and the schema of the payload in these fields of an event. */
const eventIn = ({ event, payload }: Record<string, Schema> = {}): unknown[] => [
  event?.['const'],
  payload?.['$ref'],
];

test('an event of the log has the payload of the webhook of its name, told apart by that name', () => {
  const api = document as unknown as ApiDocument;
  const { oneOf = [], discriminator } = document.components.schemas['LoggedEvent'] as Schema & {
    oneOf: Schema[];
    discriminator: { propertyName: string; mapping: Record<string, string> };
  };
  expect(discriminator.propertyName).toBe('event');
  expect(oneOf.map(({ $ref }) => $ref)).toEqual(Object.values(discriminator.mapping));
  for (const [name, { post }] of Object.entries(document.webhooks)) {
    const { allOf = [] } = resolveSchema(api, { $ref: String(discriminator.mapping[name]) });
    const logged = Object.assign({}, ...allOf.map(({ properties }) => properties)) as Record<string, Schema>;
    const webhook = post.requestBody?.content['application/json']?.schema?.properties;
    expect([name, ...eventIn(logged)]).toEqual([
      name,
      name,
      expect.stringContaining('#/components/schemas/'),
    ]);
    if (name in RESTRICTED_FIELDS) continue;
    expect([name, ...eventIn(logged)]).toEqual([name, ...eventIn(webhook)]);
  }
});

test('an event of the log promises no field that some keys do not see, and else what the webhook does', () => {
  const { SessionQrGeneratedV1: webhook, LoggedSessionQrGeneratedPayload: logged } =
    document.components.schemas;
  expect(Object.keys(RESTRICTED_FIELDS)).toEqual(['session.qr_generated']);
  expect(logged).toEqual({
    ...webhook,
    description: 'Only keys with `admin:*` see `qr`.',
    required: (webhook?.['required'] as string[]).filter((field) => field !== 'qr'),
  });
});

test('the data of the stream is an event of the log', () => {
  const stream = operationsOf(document).find(([route]) => route === 'get /v1/events/stream')?.[1];
  expect(stream?.responses['200']?.content?.['text/event-stream']?.schema).toEqual({
    $ref: '#/components/schemas/LoggedEvent',
  });
});

test('every page is a schema with a name', () => {
  const pages = operationsOf(document).flatMap(([route, { responses }]) => {
    const schema = responses['200']?.content?.['application/json']?.schema;
    const { items, nextCursor } =
      (schema && resolveSchema(document as unknown as ApiDocument, schema).properties) ?? {};
    return items && nextCursor ? [[route, schema?.$ref]] : [];
  });
  expect(pages.length).toBeGreaterThan(10);
  for (const [route, name] of pages) expect([route, name]).toEqual([route, expect.stringMatching(/Page$/)]);
});

test('nothing in it is for operators alone: every schema and example is one that a route or an event uses', () => {
  const { schemas, examples = {}, ...others } = document.components;
  const used = schemasBelow([document.paths, document.webhooks, others]);
  expect(Object.keys(schemas).filter((name) => !(name in used))).toEqual([]);
  const text = JSON.stringify([document.paths, others]);
  expect(Object.keys(examples).filter((name) => !text.includes(`/examples/${name}"`))).toEqual([]);
  const codes = schemas['HttpErrorBody']?.properties?.['code']?.['x-extensible-enum'] as string[];
  expect(Object.keys(ERROR_CATALOGUE)).toEqual(expect.arrayContaining(codes));
  for (const code of ['DEVELOPMENT_ONLY', 'AUDIT_LOG_CONFLICT', 'TENANT_NOT_FOUND'])
    expect(codes).not.toContain(code);
});

test('an error that several routes have alike stands in it once', () => {
  const texts = Object.values(document.paths).flatMap((path) =>
    Object.values(path).flatMap((operation) =>
      Object.entries((operation as unknown as { responses: object }).responses)
        .filter(([status, response]) => !status.startsWith('2') && !('$ref' in (response as object)))
        .map(([, response]) => JSON.stringify(response)),
    ),
  );
  expect(texts.length).toBeGreaterThan(0);
  expect(new Set(texts).size).toBe(texts.length);
});

test('every tag of a route is declared, with words', () => {
  const used = new Set(operationsOf(document).flatMap(([, { tags }]) => tags));
  expect(document.tags.map(({ name }) => name).sort()).toEqual([...used].sort());
  for (const { description } of document.tags) expect(description).toMatch(/\.$/);
});

test('the example of a message is one that can be: sent through the API, it has no sender and has not arrived', () => {
  const { properties = {} } = document.components.schemas['MessageView'] as {
    properties?: Record<string, Schema>;
  };
  const example = Object.fromEntries(
    Object.entries(properties).map(([name, { example: one }]) => [name, one]),
  );
  expect(example).toMatchObject({
    ...{ direction: 'OUTBOUND', fromMe: true, jobId: expect.any(String) },
    ...{ origin: null, remoteJid: null, phone: null, receivedAt: null },
  });
});

test('what a contact writes in a sandbox has its fields in the description, and a receiver is said to be https', () => {
  const { WriteAsContactBody, WrittenContent, PutExternalConfigBody } = document.components.schemas as Record<
    string,
    { properties: Record<string, Schema> }
  >;
  expect(WriteAsContactBody?.properties['content']?.['$ref']).toBe('#/components/schemas/WrittenContent');
  expect(Object.keys(WrittenContent?.properties ?? {})).toEqual(
    expect.arrayContaining(['type', 'viewOnce', 'contacts', 'media']),
  );
  expect(PutExternalConfigBody?.properties['webhookUrl']?.description).toMatch(/https/);
});
