import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '@svc/testing';
import { Actor, inventPhone } from '../../src/stack/actor.js';
import type { Stack } from '../../src/stack/stack.js';
import { stackOfRun, withReceiver } from '../stage/stage.js';

const SDK = fileURLToPath(new URL('../../../../libs/sdk-python/src', import.meta.url));

let stack: Stack;
let actor: Actor;
const receiver = withReceiver();

beforeAll(async () => {
  stack = await stackOfRun();
  actor = await Actor.create(stack);
});

/** Runs a program in Python with the client of the tenant and some arguments as `given`; it prints its result as JSON. */
function python(program: string, given: object): unknown {
  const text = `
import json, sys
sys.dont_write_bytecode = True
from svc_sdk import *
client, given = SvcClient(), json.loads(sys.argv[1])
${program}`;
  const env = { PATH: process.env['PATH'], PYTHONPATH: SDK };
  const access = { SVC_API_KEY: actor.tenant.apiKey, SVC_BASE_URL: stack.file.gateway };
  const args = ['-c', text, JSON.stringify(given)];
  return JSON.parse(execFileSync('python3', args, { env: { ...env, ...access }, encoding: 'utf8' }));
}

test('what the client for Python sends arrives, is listed page by page, and a repeat of it is the same job', async () => {
  const contact = inventPhone();
  const [jobs, listed] = python(
    `
message = {"sessionId": given["sessionId"], "to": given["to"]}
send = lambda n: client.messages.send({**message, "text": f"Grüße {n}", "clientMessageId": f"py-{given['to']}-{n}"})["jobId"]
jobs = [send(n) for n in (1, 2, 3, 2)]
listed = [one["id"] for one in client.messages.list(contact=given["to"], limit=1)]
print(json.dumps([jobs, listed]))`,
    { sessionId: actor.sessionId, to: `+${contact}` },
  ) as [string[], string[]];
  expect(jobs[3]).toBe(jobs[1]);
  expect(listed).toEqual(jobs.slice(0, 3).reverse());
  const inbox = await waitFor('the texts', async () => {
    const all = await actor.inbox(contact);
    return all.length === 3 && all;
  });
  expect(inbox.map(({ text }) => text).toSorted()).toEqual(['Grüße 1', 'Grüße 2', 'Grüße 3']);
});

test('the client for Python raises what the gateway refuses, with its code, its request id and the field', () => {
  const refused = python(
    `
refused = []
for call in (lambda: client.sessions.get(given["unknown"]), lambda: client.messages.list(limit=201).page()):
    try:
        call()
    except ApiError as error:
        refused.append([error.status, error.code, error.request_id, error.meta.get("fields")])
print(json.dumps(refused))`,
    { unknown: '0198c0de-0000-7000-8000-0000000000ff' },
  );
  expect(refused).toMatchObject([
    [404, 'SESSION_NOT_FOUND', expect.stringMatching(/^[0-9a-f-]{36}$/), null],
    [400, 'VALIDATION_FAILED', expect.any(String), [{ field: 'limit' }]],
  ]);
});

test('the verifier for Python takes a webhook of the gateway, and not the same with other bytes', async () => {
  const endpoint = { name: 'python', url: `${receiver.get().origin}/python`, events: ['message.received'] };
  const made = await actor.api<{ secret: string }>('POST', '/v1/webhooks', endpoint);
  await actor.write(inventPhone(), 'Grüße 👋');
  const { raw, headers } = await waitFor('the webhook', () =>
    receiver.get().received.find(({ path }) => path === '/python'),
  );
  const taken = python(
    `
def text_of(body):
    try:
        return verify_webhook(body, given["headers"], given["secret"]).payload["body"]["text"]
    except WebhookRefused as refusal:
        return refusal.reason
print(json.dumps([text_of(given["body"]), text_of(given["body"].replace("👋", "👍"))]))`,
    { secret: made.body.secret, headers, body: raw.toString() },
  );
  expect(taken).toEqual(['Grüße 👋', 'signature-mismatch']);
});
