import { randomUUID } from 'node:crypto';
import {
  ConfirmTenantName,
  MessageReceived,
  type MessageReceivedV1,
  MessageSent,
  type NewTenant,
  type PasskeyStage,
} from '@svc/contracts';
import { openMediaStore } from '@svc/media-store';
import { envelopeOf } from '@svc/messaging';
import { type ApiDocument, type ApiOperation, type ResourceIds, waitFor } from '@svc/testing';
import { GatewayConfig } from '../../src/config.js';
import { examplesIn } from './examples.js';
import { type Answer, gateway } from './gateway.js';

/** The number that the examples of the description write to. */
const EXAMPLE_PHONE = '4915112345678';
/** The page that the examples of a widget name. */
export const EXAMPLE_ORIGIN = 'https://www.example.com';

/**
 * Makes one resource of each kind for a tenant, by the segment of the path under which it is found. A route with a new kind of id needs a
 * line here, and nothing else.
 */
export async function furnish(tenant: NewTenant, word: string): Promise<ResourceIds> {
  const call = (route: string, body?: object): Promise<Answer> => gateway.call(tenant.apiKey, route, body);
  const { fakes } = gateway;
  const sessions = fakes.addSession(tenant.tenantId, { name: `${word} line` }).id;
  const endpoint = { name: `${word} hook`, url: `https://example.com/${word}`, events: [] };
  const webhooks = (await call('POST /v1/webhooks', endpoint)).body['id'] as string;
  const replay = await call(`POST /v1/webhooks/${webhooks}/replay`, {});
  const spare = await call('POST /v1/api-keys', { name: `${word} key`, rotates: null });
  const received = await receivedFile(tenant, sessions, word);
  const messages = await sentText(tenant, sessions, word);
  const page = { title: `${word} page`, greeting: 'Hello', allowedOrigins: [EXAMPLE_ORIGIN] };
  const widgets = String((await call('POST /v1/widgets', { ...page, sessionId: sessions })).body['id']);
  const passkeyAt = (stage: PasskeyStage): string => {
    const { id } = fakes.addSession(tenant.tenantId, { status: 'PASSKEY_REQUIRED', phone: null });
    fakes.linking.bring(id, stage);
    return id;
  };
  const confirmed = { tenantId: tenant.tenantId, name: `${word} shop` };
  await gateway.service.rpc.request(ConfirmTenantName, confirmed);
  // A plan has room for five sessions, of which an example makes one.
  const challenged = passkeyAt('challenge');
  const linkless = fakes.addSession(tenant.tenantId, { phone: null }).id;
  for (const one of [sessions, linkless]) fakes.assistant.furnish(tenant.tenantId, one);
  const knowledge = await knowledgeOf(tenant, sessions, word);
  const tool = { description: `${word} tool`, url: 'https://example.com/tool' };
  await call('PUT /v1/assistant/tools/look_up_order', tool);
  await call('PUT /v1/assistant/tool-servers/shop', {
    url: 'https://example.com/mcp',
    allow: ['find_order'],
  });
  const [conversation] = (await call('GET /v1/conversations')).body['items'] as { id: string }[];
  return {
    ...{ sessions, webhooks, widgets, widget: widgets, media: await uploadFor(tenant) },
    ...{
      phone: EXAMPLE_PHONE,
      contact: EXAMPLE_PHONE,
      name: 'look_up_order',
      server: 'shop',
      conversations: String(conversation?.id),
    },
    ...knowledge,
    erasures: await erasureOf(tenant, sessions, word),
    'sessions/pairing-code': linkless,
    'sessions/assistant/publish': linkless,
    'sessions/link-page': challenged,
    'sessions/passkey': challenged,
    'sessions/passkey/response': challenged,
    'sessions/passkey/confirm': passkeyAt('compare'),
    ...{ calls: ringing(), 'messages/poll': await sentPoll(tenant, sessions, word) },
    'tool-calls': fakes.assistant.tools.addCall(tenant.tenantId, sessions, { number: `${word} order` }).id,
    drafts: fakes.assistant.addDraft(tenant.tenantId, sessions, `${word} draft`).id,
    ...{ messages, 'messages/cancel': await queuedText(tenant, sessions, word) },
    ...{ received, 'messages/media': received },
    deliveries: fakes.dispatcher.addDelivery(tenant.tenantId, webhooks).deliveryId,
    replays: (replay.body['replay'] as { id: string }).id,
    'api-keys': spare.body['kid'] as string,
  };
}

/** Returns the first example of the JSON body that an operation takes; undefined: it takes none. */
export function bodyExample(document: ApiDocument, { body }: ApiOperation): object | undefined {
  const content = body?.content['application/json'];
  return content && (examplesIn(document, content)[0]?.[1] as object);
}

/** Gives an assistant a source, and a question without an answer. */
async function knowledgeOf(
  { apiKey, tenantId }: NewTenant,
  sessionId: string,
  word: string,
): Promise<ResourceIds> {
  const source = { title: `${word} hours`, text: `${word} text` };
  const { body } = await gateway.call(apiKey, `POST /v1/sessions/${sessionId}/assistant/knowledge`, source);
  const [gap] = gateway.fakes.assistant.knowledge.ask({ tenantId, sessionId }, [`${word} question`]);
  return { knowledge: String(body['id']), gaps: String(gap) };
}

/** Makes a file as a form. */
export function someForm(): FormData {
  const form = new FormData();
  form.append('file', new Blob([Buffer.from('a picture')], { type: 'image/png' }), 'offer.png');
  return form;
}

async function uploadFor({ apiKey }: NewTenant): Promise<string> {
  const headers = { authorization: `Bearer ${apiKey}` };
  const options = { method: 'POST', headers, body: someForm() };
  const response = await fetch(`${gateway.service.url}/v1/media`, options);
  return ((await response.json()) as { mediaId: string }).mediaId;
}

/** Sends a text that the platform has: it can be answered, edited and deleted. */
async function sentText({ apiKey, tenantId }: NewTenant, sessionId: string, word: string): Promise<string> {
  const message = { sessionId, to: `+${EXAMPLE_PHONE}`, text: `${word} text` };
  const { body } = await gateway.call(apiKey, 'POST /v1/messages', message);
  const id = body['jobId'] as string;
  const data = {
    ...{ sessionId, jobId: id, messageId: id, keyId: `3EB0${id}`, clientMessageId: null },
    ...{ to: body['to'] as string, timestamp: new Date().toISOString() },
  };
  await gateway.fakes.messaging.publishEvent(envelopeOf(MessageSent, { tenantId }, data));
  await untilStatus(apiKey, id, 'SENT');
  return id;
}

/** Sends a text that has not gone out. */
async function queuedText({ apiKey }: NewTenant, sessionId: string, word: string): Promise<string> {
  const message = { sessionId, to: `+${EXAMPLE_PHONE}`, text: `${word} other text` };
  return String((await gateway.call(apiKey, 'POST /v1/messages', message)).body['jobId']);
}

/** Sends a poll. */
async function sentPoll({ apiKey }: NewTenant, sessionId: string, word: string): Promise<string> {
  const poll = { name: `${word} poll`, options: ['yes', 'no'] };
  const message = { sessionId, to: `+${EXAMPLE_PHONE}`, poll };
  return String((await gateway.call(apiKey, 'POST /v1/messages', message)).body['jobId']);
}

/** Lets a call ring. */
function ringing(): string {
  const callId = randomUUID();
  gateway.fakes.ringing.add(callId);
  return callId;
}

/** Erases a contact that the examples do not write to. */
async function erasureOf({ apiKey }: NewTenant, sessionId: string, word: string): Promise<string> {
  const to = '+15550002222';
  await gateway.call(apiKey, 'POST /v1/messages', { sessionId, to, text: `${word} last text` });
  return String((await gateway.call(apiKey, `DELETE /v1/contacts/${to.slice(1)}`)).body['id']);
}

/** Publishes a message with a file of the customer. */
async function receivedFile(
  { apiKey, tenantId }: NewTenant,
  sessionId: string,
  word: string,
): Promise<string> {
  const id = randomUUID();
  const file = Buffer.from(`${word} file`);
  const mimeType = 'application/pdf';
  const data: MessageReceivedV1 = {
    ...{ sessionId, messageId: id, keyId: `8F3A${id}`, remoteJid: `${EXAMPLE_PHONE}@s.whatsapp.net` },
    ...{ phone: `+${EXAMPLE_PHONE}`, pushName: 'Ada', timestamp: new Date().toISOString(), fromMe: false },
    body: { type: 'document', filename: 'offer.pdf', mimeType },
    media: { mediaId: id, status: 'STORED', mimeType, reason: null, size: file.length, sha256: null },
  };
  await (await openMediaStore(gateway.service.get(GatewayConfig))).put(id, [file], file.length);
  await gateway.fakes.messaging.publishEvent(envelopeOf(MessageReceived, { tenantId }, data));
  await untilStatus(apiKey, id, 'RECEIVED');
  return id;
}

async function untilStatus(apiKey: string, id: string, status: string): Promise<void> {
  await waitFor(`a message to be ${status}`, async () => {
    return (await gateway.call(apiKey, `GET /v1/messages/${id}`)).body['status'] === status;
  });
}
