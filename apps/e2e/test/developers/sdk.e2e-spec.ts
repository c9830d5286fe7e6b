import type { ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterEach, beforeAll, expect, test } from '@jest/globals';
import { ApiError, isEvent, SvcClient, verifyWebhook } from '@svc/sdk';
import { type ApiDocument, contentExamples, parametersOf, waitFor } from '@svc/testing';
import { Actor, inventPhone } from '../../src/stack/actor.js';
import type { Stack } from '../../src/stack/stack.js';
import { startProgram } from '../stage/programs.js';
import { stackOfRun, withReceiver } from '../stage/stage.js';
import { isStandard } from '../stage/standard-webhooks.js';

const SVC = join(dirname(createRequire(import.meta.url).resolve('@svc/sdk/package.json')), 'dist/cli/svc.js');

let stack: Stack;
let actor: Actor;
let client: SvcClient;
let command: ChildProcess | undefined;
const receiver = withReceiver();

beforeAll(async () => {
  stack = await stackOfRun();
  actor = await Actor.create(stack);
  client = new SvcClient({ apiKey: actor.tenant.apiKey, baseUrl: stack.file.gateway });
});
afterEach(() => void command?.kill('SIGKILL'));

const textOf = (contact: string): Promise<(string | null)[]> =>
  actor.inbox(contact).then((inbox) => inbox.map(({ text }) => text));

test('what the client sends arrives, is listed page by page, and a repeat of it is the same job', async () => {
  const contact = inventPhone();
  const send = (n: number) =>
    client.messages.send({
      ...{ sessionId: actor.sessionId, to: `+${contact}` },
      ...{ text: `number ${n}`, clientMessageId: `sdk-${contact}-${n}` },
    });
  const jobs = [];
  for (const n of [1, 2, 3]) jobs.push((await send(n)).jobId);
  expect((await send(2)).jobId).toBe(jobs[1]);
  await waitFor('the texts', async () => (await textOf(contact)).length === 3);
  const listed = [];
  for await (const { id } of client.messages.list({ contact: `+${contact}`, limit: 1 })) listed.push(id);
  expect(listed).toEqual([...jobs].reverse());
  const page = await client.messages.list({ contact: `+${contact}`, limit: 2 });
  expect([page.items.length, typeof page.nextCursor]).toEqual([2, 'string']);
  const dry = await client.messages.send({
    sessionId: actor.sessionId,
    to: `+${contact}`,
    text: 'x',
    dryRun: true,
  });
  expect(dry).not.toHaveProperty('jobId');
});

test('a refusal has the code and the request id of the answer', async () => {
  const unknown = '0198c0de-0000-7000-8000-0000000000ff';
  const error = await client.sessions.get(unknown).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ApiError)) throw new Error('It is no ApiError.');
  expect([error.status, error.code]).toEqual([404, 'SESSION_NOT_FOUND']);
  expect(error.requestId).toMatch(/^[0-9a-f-]{36}$/);
  await expect(client.messages.list({ limit: 201 })).rejects.toMatchObject({
    code: 'VALIDATION_FAILED',
    meta: { fields: [{ field: 'limit' }] },
  });
});

test('a bot that follows the stream answers whoever writes', async () => {
  const contact = inventPhone();
  const ending = new AbortController();
  const open = new Promise<void>((opened) => {
    const bot = async (): Promise<void> => {
      const events = client.events.stream({
        event: 'message.received',
        signal: ending.signal,
        onOpen: opened,
      });
      for await (const event of events) {
        if (!isEvent(event, 'message.received') || event.payload.fromMe) continue;
        const { sessionId, chatId, body } = event.payload;
        const text = body.type === 'text' ? `you said ${body.text}` : 'what is that?';
        await client.messages.send({ sessionId, to: chatId, text, clientMessageId: event.id });
      }
    };
    void bot();
  });
  await open;
  await actor.write(contact, 'hello');
  await waitFor('the answer', async () => (await textOf(contact)).includes('you said hello'), 60_000);
  ending.abort();
});

test('svc listen hands the events of the gateway to a local receiver, as genuine webhooks', async () => {
  const secret = 'whsec_of-svc-listen';
  const env = {
    ...{ PATH: process.env['PATH'], SVC_API_KEY: actor.tenant.apiKey, SVC_BASE_URL: stack.file.gateway },
    SVC_WEBHOOK_SECRET: secret,
  };
  command = await startProgram(
    [process.execPath, SVC, 'listen', '--forward', `${receiver.get().origin}/bot`],
    {
      env,
      readyAt: /Forwarding events/,
      limitMs: 60_000,
    },
  );
  const contact = inventPhone();
  await actor.write(contact, 'forward this');
  const { raw, headers } = await waitFor('the webhook', () =>
    receiver
      .get()
      .received.find((webhook) => webhook.path === '/bot' && webhook.raw.includes('forward this')),
  );
  const result = verifyWebhook(raw, headers, secret);
  expect(result).toMatchObject({ ok: true, event: { event: 'message.received' } });
  expect(headers['user-agent']).toBe('Svc-Webhook/1');
  const ended = new Promise((done) => command?.once('close', done));
  command.kill('SIGINT');
  expect(await ended).toBe(0);
});

test('the webhook that the description shows is signed as it says, and the verifier takes it', async () => {
  const document = (await (await fetch(`${stack.file.gateway}/openapi.json`)).json()) as ApiDocument;
  const shown = Object.entries(document.webhooks ?? {}).flatMap(([event, { post }]) =>
    contentExamples(document, post.requestBody?.content['application/json'] ?? {}).map(
      ([, body]) => [event, post, body] as const,
    ),
  );
  expect(shown.map(([event]) => event)).toEqual(['message.received']);
  for (const [event, post, body] of shown) {
    const parameters = parametersOf(document, post);
    const headers = Object.fromEntries(
      parameters.map(({ name, schema }) => [name.toLowerCase(), String(schema['example'])]),
    );
    const signature = parameters.find(({ name }) => name === 'X-Svc-Signature');
    const secret = /secret `(whsec_[^`]+)`/.exec(signature?.description ?? '')?.[1] ?? '';
    const options = { now: Number(headers['x-svc-timestamp']) };
    const result = verifyWebhook(JSON.stringify(body), headers, secret, options);
    expect(result).toMatchObject({ ok: true, event: { event, deliveryId: headers['x-svc-delivery-id'] } });
    expect(headers['x-svc-event']).toBe(event);
    expect(isStandard({ headers, raw: Buffer.from(JSON.stringify(body)) }, secret)).toBe(true);
  }
});
