import { isDeepStrictEqual } from 'node:util';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, getSchemaPath, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { CONTENT_FIELDS, MessageBody, SessionQr, SessionQrGeneratedV1 } from '@svc/contracts';
import { EVENT_PAYLOADS, eventWebhooks } from './event-webhooks.js';
import type { Schemas } from './example-values.js';
import { addExamples } from './examples.js';
import { completeOperations } from './every-operation.js';
import { splitLoggedEvent } from './logged-event-union.js';
import { splitMessageBody } from './message-body-union.js';
import { openEnums } from './open-enums.js';
import { asOpenApi31 } from './openapi-31.js';
import { shareParts } from './shared-parts.js';
import { DESCRIPTION, SCOPES_DESCRIPTION, TAGS } from './words.js';

/** Fields that name the bytes of a file to send: a request has exactly one. */
const MEDIA_SOURCES = ['url', 'base64', 'mediaId'];

/** Answers and events that have all fields of another, and more. */
const EXTENSIONS = {
  WebhookEndpointWithSecret: 'WebhookEndpoint',
  CreatedSession: 'SessionView',
  NewApiKey: 'ApiKeyView',
  MessageFailedV1: 'OutboundMessageV1',
};

/** Licence of the project. Only OpenAPI 3.1 has `identifier`: the builder, which speaks 3.0, cannot write it. */
const LICENSE = { name: 'Apache License 2.0', identifier: 'Apache-2.0' };

/** `SessionQr` stands before it in the description. */
const QR_EVENT = EVENT_PAYLOADS.findIndex((payload) => payload === SessionQrGeneratedV1);

/** Builds the description from the controllers and contract classes, as OpenAPI 3.1. */
export function openApiDocument(app: NestFastifyApplication, publicUrl: string | undefined): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Messaging Gateway')
    .setVersion('1.1')
    .setDescription(DESCRIPTION)
    .addServer(publicUrl ?? '/')
    .addSecurityRequirements('apiKey')
    .addSecurity('apiKey', { type: 'http', scheme: 'bearer', description: SCOPES_DESCRIPTION });
  for (const [tag, words] of Object.entries(TAGS)) builder.addTag(tag, words);
  const document = SwaggerModule.createDocument(app, builder.build(), {
    extraModels: [MessageBody, ...EVENT_PAYLOADS.toSpliced(QR_EVENT, 0, SessionQr)],
  });
  completeOperations(document);
  const schemas = document.components?.schemas ?? {};
  splitMessageBody(schemas);
  splitLoggedEvent(schemas);
  const oneOf = (name: string, fields: readonly string[]): object =>
    Object.assign(schemas[name] ?? {}, { oneOf: fields.map((field) => ({ required: [field] })) });
  oneOf('SendMessageRequest', CONTENT_FIELDS);
  oneOf('MediaRequest', MEDIA_SOURCES);
  oneOf('AddKnowledgeBody', ['text', 'url']);
  oneOf('WriteAsContactBody', ['text', 'content']);
  for (const [name, base] of Object.entries(EXTENSIONS)) extend(schemas, name, base);
  addExamples(document);
  const info = { ...document.info, license: LICENSE };
  const complete = asOpenApi31({ ...document, info, webhooks: eventWebhooks(schemas) });
  openEnums(complete);
  shareParts(complete);
  return complete;
}

/** Writes a schema as another one with more fields, in place of all fields once more. */
function extend(schemas: Schemas, name: string, base: string): void {
  const [whole, part] = [schemas[name], schemas[base]];
  if (!whole || !part || '$ref' in whole || '$ref' in part) throw new Error(`${name} extends no ${base}.`);
  const isOwn = (field: string): boolean =>
    !isDeepStrictEqual(whole.properties?.[field], part.properties?.[field]);
  const own = Object.entries(whole.properties ?? {}).filter(([field]) => isOwn(field));
  const required = whole.required?.filter((field) => isOwn(field) || !part.required?.includes(field)) ?? [];
  schemas[name] = {
    allOf: [{ $ref: getSchemaPath(base) }, { type: 'object', required, properties: Object.fromEntries(own) }],
  };
}
