import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  AddKnowledgeBody,
  AssistantSettings,
  BusinessHours,
  CheckApiKeysBody,
  CONTENT_FIELDS,
  ContactContent,
  CreateApiKeyBody,
  CreateSessionBody,
  CreateWebhookBody,
  DeadLettersQuery,
  DeliveriesQuery,
  DeleteRequest,
  EditDraftBody,
  EditRequest,
  ERROR_CATALOGUE,
  type ErrorCode,
  EndpointReasonBody,
  DemandEvalsBody,
  EvalsRunBody,
  JudgeBody,
  EventLogQuery,
  EventStreamQuery,
  HandoffBody,
  MarkReadBody,
  OpenCheckoutBody,
  OptOutWords,
  LinkPageBody,
  PairingCodeBody,
  ConfirmPasskeyBody,
  PasskeyAssertion,
  PasskeyAssertionResponse,
  ListConversationsQuery,
  ListMessagesQuery,
  LocationContent,
  MediaRequest,
  PollContent,
  PromoteTierBody,
  PublishAssistantBody,
  PutExternalConfigBody,
  PutProviderBody,
  PlayBody,
  PutToolBody,
  PutToolServerBody,
  PutSessionAssistantBody,
  ReactionRequest,
  ReplayBody,
  SearchKnowledgeBody,
  SendMessageRequest,
  TypingBody,
  UpdateSessionBody,
  UsageQuery,
  UpdateWebhookBody,
} from '@svc/contracts';
import { getMetadataStorage } from 'class-validator';
import { CreateWidgetBody, UpdateWidgetBody } from '../../src/widget/widget-bodies.js';
import { McpMessage } from '../../src/mcp/mcp-bodies.js';
import { AdvanceClockBody, WriteAsContactBody } from '../../src/sandbox/sandbox-bodies.js';
import { type Description, operationsOf, type Schema } from '../support/description.js';
import { gateway, withGateway } from '../support/gateway.js';

withGateway();

const EVERYWHERE: ErrorCode[] = [
  ...(['VALIDATION_FAILED', 'UNAUTHENTICATED', 'FORBIDDEN', 'TENANT_SUSPENDED'] as const),
  ...(['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'RATE_LIMITED'] as const),
  ...(['INTERNAL', 'UPSTREAM_UNAVAILABLE', 'UPSTREAM_TIMEOUT'] as const),
];

let document: Description;

beforeAll(async () => {
  document = (await gateway.call(undefined, 'GET /openapi.json')).body as unknown as Description;
});

/** Parts of a body. */
const PARTS = [
  MediaRequest,
  LocationContent,
  ContactContent,
  PollContent,
  ReactionRequest,
  EditRequest,
  DeleteRequest,
  PasskeyAssertionResponse,
  AssistantSettings,
  BusinessHours,
];
const BODIES = [
  ...[SendMessageRequest, CreateSessionBody, PromoteTierBody, PutExternalConfigBody],
  ...[CreateWebhookBody, UpdateWebhookBody, CreateApiKeyBody, CheckApiKeysBody],
  ...[PairingCodeBody, MarkReadBody, TypingBody, UpdateSessionBody, EndpointReasonBody, OpenCheckoutBody],
  OptOutWords,
  ...[PasskeyAssertion, ConfirmPasskeyBody, LinkPageBody],
  ...[
    PlayBody,
    JudgeBody,
    DemandEvalsBody,
    EvalsRunBody,
    PutToolBody,
    PutToolServerBody,
    PutProviderBody,
    PutSessionAssistantBody,
    PublishAssistantBody,
    HandoffBody,
    EditDraftBody,
  ],
  ...[AddKnowledgeBody, SearchKnowledgeBody],
  ...[ReplayBody, WriteAsContactBody, AdvanceClockBody, CreateWidgetBody, UpdateWidgetBody],
  McpMessage,
];

interface Rule {
  propertyName: string;
  name?: string;
  type: string;
  each: boolean;
  constraints?: unknown[];
}

const rulesOf = (type: new () => object): Rule[] =>
  getMetadataStorage().getTargetValidationMetadatas(type, '', false, false) as Rule[];

const TYPES: Record<string, string> = {
  ...{ isString: 'string', isInt: 'integer', isNumber: 'number', isBoolean: 'boolean', isArray: 'array' },
};

/** Writes a rule in JSON Schema. */
function statement({ name = '', constraints: [first, second] = [] }: Rule): object {
  const statements: Record<string, () => object> = {
    isLength: () => ({ minLength: first, maxLength: second }),
    maxLength: () => ({ maxLength: first }),
    isNotEmpty: () => ({ minLength: 1 }),
    matches: () => ({ pattern: (first as RegExp).source }),
    min: () => ({ minimum: first }),
    max: () => ({ maximum: first }),
    // The pattern beside it says the form; this one, that there is such a day.
    isIso8601: () => ({ pattern: expect.any(String) }),
    // Likewise, that there may be such a host.
    hasHost: () => ({ pattern: expect.any(String) }),
    // A name of the database of time zones, which has no form.
    isTimeZone: () => ({ type: 'string' }),
    isUuid: () => ({ format: 'uuid' }),
    isObject: () => ({ type: 'object' }),
    isNotEmptyObject: () => ({ minProperties: 1 }),
    isIn: () => ({ enum: first }),
    arrayUnique: () => ({ uniqueItems: true }),
    arrayNotEmpty: () => ({ minItems: 1 }),
    arrayMinSize: () => ({ minItems: first }),
    arrayMaxSize: () => ({ maxItems: first }),
    isMetadata: () => ({ type: 'object', maxProperties: 20 }),
    isMessageId: () => ({ oneOf: [expect.any(Object), expect.objectContaining({ maxLength: 128 })] }),
    isHeaders: () => ({ type: 'object', maxProperties: 10 }),
  };
  const stated = statements[name];
  if (!stated && !TYPES[name]) throw new Error(`This test does not know the rule ${name}.`);
  return stated?.() ?? {};
}

function expectStated(type: new () => object, schemaOf: (field: string) => Schema | undefined): void {
  const rules = rulesOf(type).filter(({ type: kind }) => kind === 'customValidation');
  expect(rules.length).toBeGreaterThan(0);
  for (const rule of rules) {
    const property = schemaOf(rule.propertyName);
    const schema = rule.each ? property?.items : property;
    // A schema of its own says so itself.
    if (rule.name === 'isObject' && JSON.stringify(property).includes('$ref')) continue;
    const place = `${type.name}.${rule.propertyName}`;
    expect([place, schema]).toEqual([place, expect.objectContaining(statement(rule))]);
    const jsonType = TYPES[rule.name ?? ''];
    if (jsonType) expect([place, [schema?.type].flat()]).toEqual([place, expect.arrayContaining([jsonType])]);
  }
}

describe('the description says each limit that is enforced', () => {
  test.each([...BODIES, ...PARTS].map((type) => [type.name, type] as const))('of %s', (_, type) => {
    const schema = document.components.schemas[type.name];
    expectStated(type, (field) => schema?.properties?.[field]);
    const optional = rulesOf(type).filter(({ type: kind }) => kind === 'conditionalValidation');
    const names = new Set(rulesOf(type).map(({ propertyName }) => propertyName));
    for (const { propertyName } of optional) names.delete(propertyName);
    expect([...(schema?.required ?? [])].sort()).toEqual([...names].sort());
    expect(schema?.['additionalProperties']).toBe(false);
  });

  test.each([
    ['get /v1/messages', ListMessagesQuery],
    ['get /v1/conversations', ListConversationsQuery],
    ['get /v1/webhooks/{id}/deliveries', DeliveriesQuery],
    ['get /v1/webhooks/{id}/dead-letters', DeadLettersQuery],
    ['get /v1/events', EventLogQuery],
    ['get /v1/events/stream', EventStreamQuery],
    ['get /v1/usage', UsageQuery],
  ] as const)('of the query of %s', (route, type) => {
    const parameters = operationsOf(document).find(([name]) => name === route)?.[1].parameters ?? [];
    expectStated(type, (field) => parameters.find(({ name }) => name === field)?.schema);
  });

  test('of a message: exactly one content, and nothing unknown in any of them', () => {
    const schema = document.components.schemas['SendMessageRequest'];
    expect(schema?.['oneOf']).toEqual(CONTENT_FIELDS.map((field) => ({ required: [field] })));
  });

  test('and no body of a request is left out here', () => {
    const bodies = operationsOf(document).flatMap(([, { requestBody }]) => {
      const json = requestBody?.content['application/json'];
      return json ? [json.schema.$ref.split('/').at(-1)] : [];
    });
    expect([...new Set(bodies)].sort()).toEqual(BODIES.map(({ name }) => name).sort());
  });
});

describe('every operation', () => {
  test('has the errors that every route may answer under `default`, with the headers of each', () => {
    for (const [route, { responses }] of operationsOf(document)) {
      const { 'x-error-codes': codes, headers, content } = responses['default'] ?? {};
      expect([route, codes]).toEqual([route, EVERYWHERE]);
      expect(Object.keys(headers ?? {}).sort()).toEqual(['Retry-After', 'WWW-Authenticate', 'x-request-id']);
      expect(content?.['application/json']?.schema).toEqual({ $ref: '#/components/schemas/HttpErrorBody' });
    }
  });

  test('that has a line for one of their statuses repeats the codes there', () => {
    for (const [route, { responses, scope }] of operationsOf(document)) {
      const ofKeys = ['UNAUTHENTICATED', 'FORBIDDEN', 'TENANT_SUSPENDED'];
      for (const code of EVERYWHERE.filter((one) => scope !== undefined || !ofKeys.includes(one))) {
        const line = responses[ERROR_CATALOGUE[code].status]?.['x-error-codes'];
        expect([route, line ?? EVERYWHERE]).toEqual([route, expect.arrayContaining([code])]);
      }
    }
  });

  test('that sends a message says in its 429, too, what is left of the day', () => {
    const responses = operationsOf(document).find(([route]) => route === 'post /v1/messages')?.[1].responses;
    expect(Object.keys(responses?.['429']?.headers ?? {}).sort()).toEqual([
      ...['RateLimit', 'RateLimit-Policy', 'Retry-After', 'x-request-id'],
    ]);
  });
});

describe('MessageBody', () => {
  // The table of the specification; a name with ! is required.
  const TABLE = {
    text: 'text!',
    image: 'caption mimeType',
    video: 'caption mimeType seconds isPtv',
    audio: 'mimeType seconds isPtt transcript',
    document: 'filename mimeType pageCount caption',
    sticker: 'mimeType isAnimated',
    location: 'latitude longitude name address',
    contact: 'displayName count',
    poll: 'name options',
    reaction: 'emoji targetKeyId',
    view_once: 'inner!',
    unsupported: 'original!',
  };

  test('is a union that its type tells apart', () => {
    const { oneOf, discriminator, properties } = document.components.schemas['MessageBody'] as {
      oneOf: { $ref: string }[];
      discriminator: { propertyName: string; mapping: Record<string, string> };
      properties?: object;
    };
    expect(properties).toBeUndefined();
    expect(discriminator.propertyName).toBe('type');
    expect(Object.keys(discriminator.mapping)).toEqual(Object.keys(TABLE));
    expect(oneOf.map(({ $ref }) => $ref)).toEqual(Object.values(discriminator.mapping));
  });

  test.each(Object.entries(TABLE))('of type %s has the fields of the specification: %s', (type, row) => {
    const { mapping } = document.components.schemas['MessageBody']?.['discriminator'] as {
      mapping: Record<string, string>;
    };
    const name = mapping[type]?.split('/').at(-1) ?? '';
    const { properties = {}, required } = document.components.schemas[name] as Schema;
    const fields = row.split(' ');
    expect(properties['type']?.['const']).toBe(type);
    expect(Object.keys(properties).sort()).toEqual(
      ['type', ...fields.map((one) => one.replace('!', ''))].sort(),
    );
    expect(required).toEqual([
      'type',
      ...fields.filter((one) => one.endsWith('!')).map((one) => one.slice(0, -1)),
    ]);
  });

  test('is what a message carries, and what is inside of one that is seen once', () => {
    const union = '#/components/schemas/MessageBody';
    const { MessageReceivedV1, MessageView, MessageBodyViewOnce } = document.components.schemas;
    for (const [schema, field] of [
      [MessageReceivedV1, 'body'],
      [MessageView, 'body'],
      [MessageBodyViewOnce, 'inner'],
    ] as const) {
      expect(schema?.properties?.[field]).toEqual({ $ref: union, description: expect.any(String) });
    }
  });
});
