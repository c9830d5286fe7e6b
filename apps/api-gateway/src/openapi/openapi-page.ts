import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { CONTENT_FIELDS, MessageBody, SessionQr, SessionQrGeneratedV1 } from '@svc/contracts';
import type { FastifyInstance } from 'fastify';
import { stringify } from 'yaml';
import { asOpenApi31 } from './openapi-31.js';
import { EVENT_PAYLOADS, eventWebhooks } from './event-webhooks.js';
import { addExamples } from './examples.js';
import { completeOperations } from './every-operation.js';
import { splitMessageBody } from './message-body-union.js';

/** Fields that name the bytes of a file to send: a request has exactly one. */
const MEDIA_SOURCES = ['url', 'base64', 'mediaId'];

/** `SessionQr` stands before it in the released description. */
const QR_EVENT = EVENT_PAYLOADS.findIndex((payload) => payload === SessionQrGeneratedV1);

const DESCRIPTION = `Links phone numbers to your software: send over REST, hear over signed webhooks.

Every response carries \`x-request-id\`. A request may bring one of its own, 1 to 128 letters, digits and \`._-\`, and gets it back; one of another form is replaced. Errors have one shape, whatever went wrong: \`{code, message, requestId, meta}\`.
Bodies are JSON of up to 1 MiB; a field that is not described is refused, and so is a parameter of a query. In a change (PATCH) null is taken where the description says what it means. Times are ISO 8601 in UTC. Lists take \`limit\` and \`before\` and return \`nextCursor\`; the event log goes forward and takes \`after\`.
Send with a \`clientMessageId\`: repeating it is always safe.`;

// The specification lets `webhooks:manage` create webhooks, and webhooks have every event.
const SCOPES_DESCRIPTION = `An API key: \`Authorization: Bearer rk_live_…\`. Each route names the scope it needs.

- \`messages:send\`: send messages and upload files.
- \`messages:read\`: read messages, conversations, events and limits.
- \`webhooks:manage\`: create, read, change and delete webhooks. An endpoint hears every event of every session, with what was said: whoever may make one may hear everything, so this scope is as strong as \`messages:read\`.
- \`admin:*\`, \`*\`: all of it, and keys, sessions, widgets and the subscription.`;

/** Builds the description from the controllers and contract classes, as OpenAPI 3.1. */
export function openApiDocument(app: NestFastifyApplication, publicUrl: string | undefined): OpenAPIObject {
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Messaging Gateway')
    .setVersion('1')
    .setDescription(DESCRIPTION)
    .addServer(publicUrl ?? '/')
    .addTag('messages', 'Send messages and read conversations.')
    .addTag('sessions', 'One session is one phone number.')
    .addTag(
      'webhooks',
      'Endpoints that receive events as signed POSTs; `createWebhook` says how they behave.',
    )
    .addTag('deliveries', 'What became of every event and endpoint; replays.')
    .addTag('events', 'The log of your events.')
    .addTag('api keys', 'Keys of your tenant.')
    .addSecurity('apiKey', {
      type: 'http',
      scheme: 'bearer',
      description: SCOPES_DESCRIPTION,
    })
    .build();
  const document = SwaggerModule.createDocument(app, config, {
    extraModels: [MessageBody, ...EVENT_PAYLOADS.toSpliced(QR_EVENT, 0, SessionQr)],
  });
  completeOperations(document);
  const schemas = document.components?.schemas ?? {};
  splitMessageBody(schemas);
  const oneOf = (name: string, fields: readonly string[]): object =>
    Object.assign(schemas[name] ?? {}, { oneOf: fields.map((field) => ({ required: [field] })) });
  oneOf('SendMessageRequest', CONTENT_FIELDS);
  oneOf('MediaRequest', MEDIA_SOURCES);
  oneOf('WriteAsContactBody', ['text', 'content']);
  addExamples(document);
  return asOpenApi31({ ...document, webhooks: eventWebhooks(schemas) });
}

/** Serves `/openapi.json` and `/openapi.yaml`, for everybody (specification, "Versioning"). */
export function serveOpenApi(app: NestFastifyApplication, publicUrl: string | undefined): void {
  const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  const document = openApiDocument(app, publicUrl);
  const yaml = stringify(document, { aliasDuplicateObjects: false });
  const json = JSON.stringify(document);
  fastify.get('/openapi.json', (_request, reply) => reply.type('application/json; charset=utf-8').send(json));
  fastify.get('/openapi.yaml', (_request, reply) => reply.type('application/yaml; charset=utf-8').send(yaml));
}
