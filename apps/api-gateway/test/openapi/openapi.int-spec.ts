import { beforeAll, describe, expect, test } from '@jest/globals';
import { PUBLIC_EVENTS } from '@svc/contracts';
import { type ApiDocument, parametersOf } from '@svc/testing';
import { Validator } from '@seriousme/openapi-schema-validator';
import { parse } from 'yaml';
import { AssistantController } from '../../src/assistant/assistant.controller.js';
import { DraftsController } from '../../src/assistant/drafts.controller.js';
import { ToolCallsController } from '../../src/assistant/tool-calls.controller.js';
import { ToolServersController } from '../../src/assistant/tool-servers.controller.js';
import { ToolsController } from '../../src/assistant/tools.controller.js';
import { AuditController } from '../../src/audit/audit.controller.js';
import { ApiKeysController } from '../../src/keys/api-keys.controller.js';
import { SCOPE } from '../../src/auth/authorization.js';
import { ContactsController } from '../../src/contacts/contacts.controller.js';
import { ConversationsController } from '../../src/conversations/conversations.controller.js';
import { OptOutsController } from '../../src/opt-outs/opt-outs.controller.js';
import { HandoffsController } from '../../src/conversations/handoffs.controller.js';
import { ErasuresController } from '../../src/erasures/erasures.controller.js';
import { EventLogController } from '../../src/events/event-log.controller.js';
import { EventStreamController } from '../../src/events/event-stream.controller.js';
import { LinkPagesController } from '../../src/link-page/link-pages.controller.js';
import { McpController } from '../../src/mcp/mcp.controller.js';
import { LimitsController } from '../../src/usage/limits.controller.js';
import { CancellationController } from '../../src/scheduling/cancellation.controller.js';
import { MessageMediaController } from '../../src/media/message-media.controller.js';
import { MediaController } from '../../src/media/media.controller.js';
import { MessagesController } from '../../src/messages/messages.controller.js';
import { PollsController } from '../../src/polls/polls.controller.js';
import { SendingController } from '../../src/sending/sending.controller.js';
import { ExternalConfigController } from '../../src/sessions/external-config.controller.js';
import { LiveController } from '../../src/sessions/live.controller.js';
import { PasskeyController } from '../../src/sessions/passkey.controller.js';
import { SessionAssistantController } from '../../src/sessions/session-assistant.controller.js';
import { SessionKnowledgeController } from '../../src/sessions/session-knowledge.controller.js';
import { SessionsController } from '../../src/sessions/sessions.controller.js';
import { PublicWidgetController } from '../../src/widget/public-widget.controller.js';
import { WidgetsController } from '../../src/widget/widgets.controller.js';
import { SandboxController } from '../../src/sandbox/sandbox.controller.js';
import { SubscriptionController } from '../../src/subscriptions/subscription.controller.js';
import { UsageController } from '../../src/usage/usage.controller.js';
import { DeliveriesController } from '../../src/webhooks/deliveries.controller.js';
import { WebhookActionsController } from '../../src/webhooks/webhook-actions.controller.js';
import { WebhooksController } from '../../src/webhooks/webhooks.controller.js';
import { gateway, withGateway } from '../support/gateway.js';
import { type Description, operationsOf } from '../support/description.js';

withGateway();

let document: Description;

beforeAll(async () => {
  document = (await gateway.call(undefined, 'GET /openapi.json')).body as unknown as Description;
});

const operations = (): ReturnType<typeof operationsOf> => operationsOf(document);

describe('the description', () => {
  test('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    const result = await validator.validate(JSON.parse(JSON.stringify(document)) as Record<string, unknown>);
    expect(result).toMatchObject({ valid: true });
    expect(document.openapi).toMatch(/^3\.1/);
    expect(validator.resolveRefs()).toBeDefined();
  });

  test('names the licence of the project as OpenAPI 3.1 does, by its SPDX identifier', () => {
    expect(document.info.license).toEqual({ name: 'Apache License 2.0', identifier: 'Apache-2.0' });
  });

  test('says the same in YAML, to everybody', async () => {
    const answer = await gateway.call(undefined, 'GET /openapi.yaml');
    expect(answer.headers.get('content-type')).toBe('application/yaml; charset=utf-8');
    expect(parse(answer.body['text'] as string)).toEqual(document);
  });

  test('has each route of the gateway, and no other', () => {
    const routes = operations()
      .map(([route]) => route)
      .sort();
    expect(routes).toMatchSnapshot();
    expect(new Set(operations().map(([, { operationId }]) => operationId)).size).toBe(routes.length);
  });

  test('describes every field and every answer', () => {
    const missing = Object.entries(document.components.schemas).flatMap(([name, { properties = {} }]) =>
      Object.entries(properties)
        .filter(([, { description }]) => !description)
        .map(([field]) => `${name}.${field}`),
    );
    expect(missing).toEqual([]);
    for (const [, { responses }] of operations()) {
      for (const { description } of Object.values(responses)) expect(description).not.toBe('');
    }
  });

  test('says of each reason of an end what it means and what to do next, and names none that no end has', () => {
    for (const [schema, count] of [
      ['SessionDisconnectedV1', 21],
      ['SessionLoggedOutV1', 2],
    ] as const) {
      const reason = document.components.schemas[schema]?.properties?.['reason'];
      const names = reason?.['x-extensible-enum'] as string[];
      expect(names).toHaveLength(count);
      const lines = [...String(reason?.description).matchAll(/^- `(\w+)`: .+\. Next: .+\.$/gm)];
      expect(lines.map(([, name]) => name)).toEqual(names);
      for (const never of ['CREATED', 'QR_READY', 'LOGGED_IN', 'LINKED']) expect(names).not.toContain(never);
    }
  });

  test('has no word of OpenAPI 3.0 left', () => {
    expect(JSON.stringify(document)).not.toContain('"nullable"');
  });

  test('names scope and security once for all routes that need a key, and says of the others that they need none', () => {
    expect(document.security).toEqual([{ apiKey: [] }]);
    for (const [route, operation] of operations()) {
      const isPublic = route.startsWith('get /v1/public/');
      expect([route, operation['x-public'] ?? false]).toEqual([route, isPublic]);
      expect([route, operation.security]).toEqual([route, isPublic ? [] : undefined]);
      if (!isPublic) expect([route, operation.scope]).toEqual([route, expect.stringMatching(/:|^any$/)]);
    }
    expect(document.components.securitySchemes['apiKey']).toMatchObject({ type: 'http', scheme: 'bearer' });
    const { description } = document.components.securitySchemes['apiKey'] as { description: string };
    const scopes = ['*', 'messages:send', 'messages:read', 'webhooks:manage', 'admin:*'];
    for (const scope of scopes) expect(description).toContain(`\`${scope}\``);
    expect(description).toContain('this scope is as strong as `messages:read`');
  });

  test('has every event with the headers of its delivery', () => {
    expect(Object.keys(document.webhooks).sort()).toEqual([...PUBLIC_EVENTS].sort());
    for (const { post } of Object.values(document.webhooks)) {
      const headers = parametersOf(document as unknown as ApiDocument, post);
      expect(headers.map(({ name }) => name)).toEqual([
        ...['Svc', 'Webhook'].flatMap((brand) =>
          ['Event', 'Delivery-Id', 'Timestamp', 'Signature'].map((h) => `X-${brand}-${h}`),
        ),
        ...['webhook-id', 'webhook-timestamp', 'webhook-signature'],
      ]);
    }
  });
});

test('every handler of every controller under /v1 declares a scope', () => {
  const controllers = [
    ...[ApiKeysController, AuditController, CancellationController],
    ...[ContactsController, ConversationsController, DeliveriesController],
    ...[ErasuresController, EventLogController, EventStreamController],
    ...[ExternalConfigController, LimitsController, LinkPagesController, LiveController],
    McpController,
    ...[MediaController, MessageMediaController, MessagesController, PasskeyController],
    ...[PollsController, PublicWidgetController, SandboxController, SendingController, SessionsController],
    ...[SubscriptionController, UsageController, WebhookActionsController],
    ...[WebhooksController, WidgetsController, AssistantController, SessionAssistantController],
    OptOutsController,
    ...[HandoffsController, DraftsController, SessionKnowledgeController, ToolsController],
    ToolCallsController,
    ToolServersController,
  ];
  const handlers = controllers.flatMap(({ prototype }) =>
    Object.getOwnPropertyNames(prototype)
      .map((name) => (prototype as unknown as Record<string, unknown>)[name])
      .filter(
        (value): value is () => unknown => typeof value === 'function' && Reflect.hasMetadata('path', value),
      ),
  );
  // The description is made of the same routes, so a controller that is missing here is noticed.
  const own = handlers.filter((handler) => Reflect.hasMetadata('method', handler));
  expect(own).toHaveLength(operations().length);
  expect(own.filter((handler) => !Reflect.getMetadata(SCOPE, handler))).toEqual([]);
});
