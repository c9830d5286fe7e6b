import { waitFor } from '@svc/testing';
import type { Actor } from '../../src/stack/actor.js';
import type { Stack } from '../../src/stack/stack.js';

/** Route: one operation of `/openapi.json`. */
export interface Route {
  operationId: string;
  method: string;
  /** Path with its parameters in braces. */
  path: string;
  /** True when it takes a body in JSON: routes that take a file have tests of their own in the gateway. */
  takesBody: boolean;
  /** True when its answer does not end by itself. */
  endless: boolean;
  /** Names of its query parameters. */
  query: string[];
}

/** Ids of one tenant, by the name of the resource. */
export interface Ids {
  session: string;
  message: string;
  webhook: string;
  delivery: string;
  replay: string;
  kid: string;
  conversation: string;
  erasure: string;
  media: string;
  widget: string;
  draft: string;
  toolCall: string;
  knowledge: string;
}

interface Operation {
  operationId: string;
  responses: Record<string, { content?: Record<string, object> }>;
  requestBody?: { content: Record<string, object> };
  parameters?: { in: string; name: string }[];
  'x-environment'?: string;
  'x-public'?: boolean;
}

/** Lists every operation that the running gateway describes for live keys; the sandbox and public routes have stories of their own. */
export async function routesOf(stack: Stack): Promise<Route[]> {
  const { body } = await stack.api<{ paths: Record<string, Record<string, Operation>> }>(
    undefined,
    'GET',
    '/openapi.json',
  );
  return Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation['x-environment'] !== 'TEST' && !operation['x-public'])
      .map(([method, { operationId, requestBody, responses, parameters = [] }]) => ({
        operationId,
        method: method.toUpperCase(),
        path,
        takesBody: requestBody?.content['application/json'] !== undefined,
        endless: responses['200']?.content?.['text/event-stream'] !== undefined,
        query: parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
      })),
  );
}

/** A body that is right for a tenant's own resources, per operation that takes one. */
export function goodBodies(ids: Ids): Record<string, Record<string, unknown>> {
  return {
    sendMessage: { sessionId: ids.session, to: '+4915550001111', text: 'good', clientMessageId: 'good-1' },
    createSession: { name: 'good' },
    updateSession: { name: 'good' },
    requestPairingCode: { phone: '+4915550001111' },
    answerPasskey: {
      ...{ id: 'Z29vZA', rawId: 'Z29vZA', type: 'public-key' },
      response: { clientDataJSON: 'Z29vZA', authenticatorData: 'Z29vZA', signature: 'Z29vZA' },
    },
    confirmPasskey: { code: 'ABCD-2345' },
    createLinkPage: { reference: 'good', returnUrl: 'https://example.com/good' },
    markMessagesRead: { messageIds: [ids.message] },
    setTyping: { to: '+4915550001111', state: 'composing' },
    promoteWarmupTier: { tier: 3, reason: 'good' },
    putExternalConfig: {
      enabled: true,
      webhookUrl: 'http://127.0.0.1:9/good',
      rotateSecret: true,
      mintApiKey: true,
      scopes: ['messages:send', 'messages:read'],
    },
    createWebhook: { name: 'good', url: 'http://127.0.0.1:9/good', events: ['message.sent'] },
    updateWebhook: { name: 'good', url: 'http://127.0.0.1:9/good', events: [], ordering: 'STRICT' },
    pauseWebhook: { reason: 'good' },
    reactivateWebhook: { reason: 'good' },
    startReplay: {
      ...{ status: 'DEAD', event: 'message.sent', dryRun: true },
      ...{ since: '2026-01-01T00:00:00Z', until: '2026-02-01T00:00:00Z' },
    },
    createWidget: {
      sessionId: ids.session,
      title: 'good',
      greeting: 'good',
      allowedOrigins: ['http://127.0.0.1:9'],
    },
    updateWidget: { title: 'good', side: 'left', color: '#0b7a5c', language: 'de' },
    putAssistant: { baseUrl: 'http://127.0.0.1:9/good', model: 'good', fallbackModel: 'other', key: 'good' },
    putTool: {
      ...{ description: 'good', url: 'http://127.0.0.1:9/good', headers: { 'X-Token': 'good' } },
      ...{
        parameters: { type: 'object', properties: {} },
        readOnly: true,
        needsApproval: false,
        timeoutMs: 500,
      },
    },
    putToolServer: {
      ...{ url: 'http://127.0.0.1:9/mcp', headers: { 'X-Token': 'good' }, timeoutMs: 500 },
      ...{ allow: ['good_tool'], readOnly: ['good_tool'] },
    },
    putSessionAssistant: { settings: { mode: 'off' }, ifRevision: 1 },
    judgeSessionAssistant: { messages: [{ from: 'business', text: 'good' }], criteria: ['It is short.'] },
    demandAssistantEvals: { demanded: false },
    reportAssistantEvals: { revision: 1, conversations: 1, failed: 0 },
    playSessionAssistant: { messages: [{ from: 'contact', text: 'good' }], published: false },
    publishSessionAssistant: { version: 1, ifRevision: 1 },
    addKnowledge: { title: 'good', text: 'good' },
    searchKnowledge: { query: 'good' },
    handOffConversation: { minutes: 60 },
    putOptOutWords: { words: ['good'], resumeWords: ['better'] },
    editDraft: { text: 'good' },
    openCheckout: { plan: 'GROWTH' },
    createApiKey: { name: 'good', scopes: ['messages:read'], rotates: ids.kid },
    callMcp: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
    checkApiKeys: { candidates: [`rk_live_${ids.kid}`] },
  };
}

/** Makes the path with these ids in it. */
export function pathWith({ path }: Route, ids: Ids): string {
  const [, resource] = /^\/v1\/([a-z-]+)\/\{/.exec(path) ?? [];
  const id = {
    ...{ sessions: ids.session, messages: ids.message, 'api-keys': ids.kid },
    conversations: ids.conversation,
    ...{ contacts: '4915550001111', 'opt-outs': '4915550001111' },
    erasures: ids.erasure,
    media: ids.media,
    ...{ widgets: ids.widget, drafts: ids.draft, 'tool-calls': ids.toolCall },
    ...{ webhooks: ids.webhook, deliveries: ids.delivery, replays: ids.replay },
  }[resource ?? ''];
  const named = path
    .replace('{name}', 'good_tool')
    .replace('{server}', 'good-server')
    .replace('{phone}', '4915550001111')
    .replace('{callId}', 'A-CALL')
    .replace(/\{(source|gap)Id\}/, ids.knowledge);
  if (named.includes('{') && !id) throw new Error(`${path}: no id is known for ${resource}`);
  return named.replace(/\{\w+\}/, id ?? '');
}

/** Makes one resource of each kind for a tenant that has a session; texts and names say whose they are. */
export async function furnish(actor: Actor, word: string): Promise<Ids> {
  const hook = { name: `${word} hook`, url: `http://127.0.0.1:9/${word}`, events: [] };
  const { id: webhook } = (await actor.api<{ id: string }>('POST', '/v1/webhooks', hook)).body;
  const sent = await actor.send('4915550001111', `${word} text`);
  const delivery = await waitFor('a delivery', async () => {
    const path = `/v1/webhooks/${webhook}/deliveries?event=message.sent`;
    return (await actor.api<{ items: { deliveryId: string }[] }>('GET', path)).body.items[0]?.deliveryId;
  });
  const none = { until: '2026-01-01T00:00:00Z' };
  const replay = await actor.api<{ replay: { id: string } }>('POST', `/v1/webhooks/${webhook}/replay`, none);
  const message = String(sent.body['jobId']);
  const view = await actor.api<{ conversationId: string }>('GET', `/v1/messages/${message}`);
  return {
    session: actor.sessionId,
    ...{ message, conversation: view.body.conversationId, erasure: await erasureOf(actor) },
    ...{ webhook, delivery, replay: replay.body.replay.id, widget: await widgetOf(actor, word) },
    ...{ draft: await draftOf(actor, word), toolCall: await toolCallOf(actor, word) },
    ...{ kid: actor.tenant.kid, media: await actor.upload(), knowledge: await knowledgeOf(actor, word) },
  };
}

async function knowledgeOf(actor: Actor, word: string): Promise<string> {
  const path = `/v1/sessions/${actor.sessionId}/assistant/knowledge`;
  return (await actor.api<{ id: string }>('POST', path, { title: word, text: `${word} text` })).body.id;
}

async function widgetOf(actor: Actor, word: string): Promise<string> {
  const page = { title: `${word} page`, greeting: 'Hello', allowedOrigins: ['http://127.0.0.1:9'] };
  const { body } = await actor.api<{ id: string }>('POST', '/v1/widgets', {
    ...page,
    sessionId: actor.sessionId,
  });
  return body.id;
}

/** Has the assistant draft an answer, and switches it off again. */
async function draftOf(actor: Actor, word: string): Promise<string> {
  const path = `/v1/sessions/${actor.sessionId}/assistant`;
  const publish = async (mode: string): Promise<void> => {
    await actor.api('PUT', path, { settings: { mode, debounceMs: 0 } });
    await actor.api('POST', `${path}/publish`);
  };
  await publish('draft');
  await actor.write('4915550007777', `${word} question`);
  const id = await waitFor('a draft', async () => {
    return (await actor.api<{ items: { id: string }[] }>('GET', '/v1/drafts')).body.items[0]?.id;
  });
  await publish('off');
  return id;
}

/** Has the model of the assistant want to call a tool that needs approval, and switches the assistant off again. */
async function toolCallOf(actor: Actor, word: string): Promise<string> {
  const [path, key, name] = [`/v1/sessions/${actor.sessionId}/assistant`, `${word}-${actor.phone}`, 'refund'];
  const publish = async (settings: object): Promise<void> => {
    await actor.api('PUT', path, { settings: { debounceMs: 0, ...settings } });
    await actor.api('POST', `${path}/publish`);
  };
  const rule = { times: 1, toolCalls: [{ name, arguments: '{}' }] };
  await actor.stack.platform('PUT', `/llm/keys/${key}/rules`, { rules: [rule] });
  await actor.api('PUT', '/v1/assistant', { baseUrl: actor.stack.file.platform.llm, model: 'good', key });
  const tool = { description: `${word} tool`, url: 'http://127.0.0.1:9/refund', needsApproval: true };
  await actor.api('PUT', `/v1/assistant/tools/${name}`, tool);
  await publish({ mode: 'auto', tools: [name] });
  await actor.write('4915550006666', `${word} refund`);
  const id = await waitFor('a call that waits', async () => {
    return (await actor.api<{ items: { id: string }[] }>('GET', '/v1/tool-calls')).body.items[0]?.id;
  });
  await publish({ mode: 'off' });
  await actor.api('DELETE', '/v1/assistant');
  return id;
}

/** Erases a contact and returns the id of the receipt. */
async function erasureOf(actor: Actor): Promise<string> {
  await actor.send('4915550009999', 'erased');
  const { id } = (await actor.api<{ id: string }>('DELETE', '/v1/contacts/4915550009999')).body;
  await waitFor(
    'the erasure',
    async () => (await actor.api('GET', `/v1/erasures/${id}`)).body['status'] === 'DONE',
    60_000,
  );
  return id;
}
