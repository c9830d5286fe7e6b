import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { waitFor } from '@svc/testing';
import { verifyWebhook } from '@svc/sdk';
import { createTenant, linkSandboxNumber, type NewTenant } from '../../src/stack/actor.js';
import type { Answer, Stack } from '../../src/stack/stack.js';
import { stackOfRun, withReceiver } from '../stage/stage.js';

const LIMIT_MS = 120_000;
const DAY_S = 86_400;
const CONTACT = '+4915550007000';

let stack: Stack;
let tenant: NewTenant;
let testKey: string;
const receiver = withReceiver();

beforeAll(async () => {
  stack = await stackOfRun();
  tenant = await createTenant(stack, '--plan', 'ENTERPRISE');
  const made = await stack.api(tenant.apiKey, 'POST', '/v1/api-keys', { environment: 'TEST' });
  testKey = String(made.body['secret']);
});

const api = <T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<Answer<T>> =>
  stack.api<T>(testKey, method, path, body);

async function linked(name: string): Promise<string> {
  const { id, phone } = await linkSandboxNumber(stack, testKey, name);
  expect(phone).toMatch(/^\+1555[2-9]\d{6}$/);
  return id;
}

async function send(sessionId: string, to: string, text: string): Promise<string> {
  const { status, body } = await api('POST', '/v1/messages', { sessionId, to, text });
  expect(status).toBe(200);
  return String(body['jobId']);
}

interface Message {
  timeline: { status: string; at: string }[];
  status: string;
  failure: { code: string } | null;
}
interface Inbox {
  items: object[];
  nextCursor: string | null;
}
const messageOf = async (jobId: string): Promise<Message> =>
  (await api<Message>('GET', `/v1/messages/${jobId}`)).body;

/** Reads the rows of the table that tenants read. */
function documentedNumbers(): { phone: string; outcome: string }[] {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/sandbox.md'), 'utf8');
  return [...page.matchAll(/^\| (\+\d+) +\| (.+?) +\|$/gm)].map(([, phone = '', outcome = '']) => ({
    phone,
    outcome,
  }));
}

/** Reads the end of an outcome: `SENT, never DELIVERED` ends as SENT, `FAILED, NO_ACK, …` as FAILED with that code. */
function endOf(outcome: string): { status: string; code: string | undefined } {
  const words: string[] = outcome.replace(/never \w+/, '').match(/[A-Z]{2,}(_[A-Z]+)*/g) ?? [];
  const failed = words.indexOf('FAILED');
  if (failed >= 0) return { status: 'FAILED', code: words[failed + 1] };
  return { status: words.at(-1) ?? '', code: undefined };
}

describe('a tenant with a test key', () => {
  test('tests its bot without a phone: linked, spoken to, answers, is read', async () => {
    const sessionId = await linked('bot under test');
    const hook = { name: 'bot', url: `${receiver.get().origin}/sandbox`, events: [] };
    const { status, body: endpoint } = await api('POST', '/v1/webhooks', hook);
    expect(status).toBe(201);
    const waitForWebhook = (event: string) =>
      waitFor(
        event,
        () =>
          receiver
            .get()
            .received.find(({ path, headers }) => path === '/sandbox' && headers['x-svc-event'] === event),
        LIMIT_MS,
      );

    const written = await api('POST', `/v1/sandbox/sessions/${sessionId}/messages`, {
      from: CONTACT,
      text: 'Are you open?',
    });
    expect(written.status).toBe(201);
    const event = await waitForWebhook('message.received');
    expect(verifyWebhook(event.raw, event.headers, String(endpoint['secret'])).ok).toBe(true);
    expect(JSON.parse(event.raw.toString())).toMatchObject({
      payload: { sessionId, keyId: written.body['keyId'], body: { type: 'text', text: 'Are you open?' } },
    });

    await send(sessionId, CONTACT, 'Until eight.');
    await waitForWebhook('message.delivered');
    const inbox = `/v1/sandbox/sessions/${sessionId}/contacts/${encodeURIComponent(CONTACT)}`;
    expect((await api('GET', `${inbox}/messages`)).body).toMatchObject({
      items: [{ text: 'Until eight.', content: { type: 'text' } }],
      nextCursor: null,
    });
    await send(sessionId, CONTACT, 'Or later.');
    const two = await waitFor('both', async () => {
      const { body } = await api<Inbox>('GET', `${inbox}/messages`);
      return body.items.length === 2 && body.items;
    });
    const { body: page } = await api<Inbox>('GET', `${inbox}/messages?limit=1`);
    expect(page).toMatchObject({ items: [{ text: 'Or later.' }] });
    const next = await api<Inbox>('GET', `${inbox}/messages?limit=1&before=${page.nextCursor}`);
    expect(next.body).toEqual({ items: two.slice(1), nextCursor: null });
    expect((await api('POST', `${inbox}/read`)).body).toEqual({ read: 2 });
    await waitForWebhook('message.read');
  }, 120_000);

  test('finds the documented magic numbers, and each does what the table says', async () => {
    const numbers = documentedNumbers();
    expect((await api('GET', '/v1/sandbox/magic-numbers')).body['items']).toEqual(numbers);
    const sent = await Promise.all(
      numbers.map(async ({ phone, outcome }) => {
        const sessionId = await linked(outcome.slice(0, 100));
        const jobId = await send(sessionId, phone, 'hello');
        const end = endOf(outcome);
        const message = await waitFor(
          `${phone}: ${outcome}`,
          async () => {
            const found = await messageOf(jobId);
            return (found.status === end.status || found.status === 'FAILED') && found;
          },
          LIMIT_MS,
        );
        expect([phone, message.status, message.failure?.code]).toEqual([phone, end.status, end.code]);
        const { body: session } = await api('GET', `/v1/sessions/${sessionId}`);
        expect(session['status']).toBe(/DEGRADED|LOGGED_OUT/.exec(outcome)?.[0] ?? 'CONNECTED');
        return { jobId, outcome };
      }),
    );
    // The slow ones have arrived by now.
    for (const { jobId, outcome } of sent) {
      const { timeline } = await messageOf(jobId);
      const never = /never (\w+)/.exec(outcome)?.[1];
      expect(timeline.map(({ status }) => status)).not.toContain(never);
      const at = (state: string): number =>
        Date.parse(timeline.find(({ status }) => status === state)?.at ?? '');
      if (outcome.includes('SENT after ten seconds'))
        expect(at('SENT') - at('QUEUED')).toBeGreaterThan(9_000);
    }
  }, 180_000);

  test('moves its clock: tomorrow its session may send again, and the live tenant still has today', async () => {
    const sessionId = await linked('counts days');
    await send(sessionId, CONTACT, 'today');
    const used = async (): Promise<unknown> => {
      const { body } = await api<{ session: { used: number } }>('GET', `/v1/sessions/${sessionId}/limits`);
      return body.session.used;
    };
    expect(await used()).toBe(1);
    expect((await api('POST', '/v1/sandbox/clock', { advanceSeconds: DAY_S })).status).toBe(200);
    await waitFor('the next day', async () => (await used()) === 0, LIMIT_MS);
    const { body } = await stack.api(tenant.apiKey, 'GET', '/v1/limits');
    expect(Date.parse(String(body['resetAt'])) - Date.now()).toBeLessThan(86_400_000);
  }, 120_000);

  test('warms a number up in seconds: it is written to and answered for days, and rises a tier', async () => {
    const sessionId = await linked('warms up');
    const contacts = Array.from({ length: 5 }, (_, number) => `+491555000710${number}`);
    const warmup = async (): Promise<Record<string, unknown>> =>
      (await api('GET', `/v1/sessions/${sessionId}/warmup`)).body;
    expect(await warmup()).toMatchObject({ tier: 0 });
    for (const day of ['today', 'tomorrow']) {
      const sent = await Promise.all(
        [...contacts, ...contacts].map((contact, place) => send(sessionId, contact, `${day} ${place}`)),
      );
      const delivered = async (): Promise<boolean> =>
        (await Promise.all(sent.map(messageOf))).every(({ status }) => status === 'DELIVERED');
      await waitFor(`what was sent ${day} to be delivered`, delivered, LIMIT_MS);
      for (const from of contacts)
        await api('POST', `/v1/sandbox/sessions/${sessionId}/messages`, { from, text: 'Thank you!' });
      await api('POST', '/v1/sandbox/clock', { advanceSeconds: DAY_S });
    }
    await api('POST', '/v1/sandbox/clock', { advanceSeconds: DAY_S });
    await waitFor('the next tier', async () => (await warmup())['tier'] === 1, LIMIT_MS);
    const { body } = await api('GET', `/v1/sessions/${sessionId}/limits`);
    expect(body).toMatchObject({ session: { limit: 50 } });
  }, 180_000);

  test('sees its session logged out when the owner unlinks it on the phone, and links it again', async () => {
    const sessionId = await linked('unlinked');
    expect((await api('POST', `/v1/sandbox/sessions/${sessionId}/unlink`)).status).toBe(204);
    const status = async () => (await api('GET', `/v1/sessions/${sessionId}`)).body['status'];
    await waitFor('LOGGED_OUT', async () => (await status()) === 'LOGGED_OUT', LIMIT_MS);
    await api('POST', `/v1/sessions/${sessionId}/connect`);
    const again = await api('POST', `/v1/sandbox/sessions/${sessionId}/scan`);
    expect(again).toMatchObject({ status: 200, body: { status: 'CONNECTED' } });
    const scanned = await api('POST', `/v1/sandbox/sessions/${sessionId}/scan`);
    expect(scanned).toMatchObject({ status: 409, body: { code: 'QR_CONFLICT' } });
  }, 120_000);
});
