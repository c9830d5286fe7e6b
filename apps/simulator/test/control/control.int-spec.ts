import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Stack } from '../support/stack.js';

interface ErrorBody {
  code: string;
  message: string;
  requestId: string;
  meta: { fields?: Record<string, string[]> };
}

const JSON_TYPE = { 'content-type': 'application/json' };

describe('the control API', () => {
  let stack: Stack;

  beforeAll(async () => {
    stack = await Stack.start();
    await stack.post('/accounts', { phone: '4915550006000' });
  });
  afterAll(() => stack.close());

  test('makes an account once, however often it is asked', async () => {
    const first = await stack.post('/accounts', { phone: '+4915550006001', name: 'Shop' });
    const second = await stack.post('/accounts', { phone: '4915550006001' });
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body).toEqual(first.body);
    expect(first.body).toMatchObject({
      phone: '4915550006001',
      name: 'Shop',
      jid: '4915550006001@s.whatsapp.net',
      lid: expect.stringMatching(/^\d{15}@lid$/),
      devices: [],
    });
    const { body } = await stack.get<{ items: { phone: string }[] }>('/accounts');
    expect(body.items.map(({ phone }) => phone)).toEqual(['4915550006000', '4915550006001']);
  });

  test('makes a contact with the default behaviour, and changes only what is given', async () => {
    const { status, body } = await stack.post('/contacts', { phone: '4915550006100', name: 'Ann' });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      registered: true,
      behaviour: { delivered: 'auto', deliveredDelayMs: 0, read: 'never', readDelayMs: 0, online: true },
    });
    const changed = await stack.put('/contacts/4915550006100/behaviour', { readDelayMs: 5 });
    expect(changed.body).toMatchObject({ behaviour: { delivered: 'auto', readDelayMs: 5 } });
    expect((await stack.get('/contacts/4915550006100')).body).toEqual(changed.body);
  });

  test('keeps what is written to an account without a device', async () => {
    const id = await stack.write('4915550006101', '4915550006000', 'anybody?');
    expect(await stack.sentBy('4915550006101', id)).toMatchObject({
      status: 'QUEUED',
      deliveries: 0,
      receipts: 0,
    });
  });

  test('lets nobody write who is not on the platform', async () => {
    await stack.post('/contacts', { phone: '4915550006102', registered: false });
    const path = '/contacts/4915550006102/messages';
    const { status, body } = await stack.post<ErrorBody>(path, { to: '4915550006000', text: 'hi' });
    expect([status, body.code]).toEqual([409, 'CONTACT_NOT_REGISTERED']);
  });

  test.each<[string, string, string, unknown, number, string]>([
    ['a phone that is none', 'POST', '/accounts', { phone: 'abc' }, 400, 'phone'],
    ['a missing phone', 'POST', '/accounts', {}, 400, 'phone'],
    ['an unknown field', 'POST', '/accounts', { phone: '4915550006000', nickname: 'x' }, 400, 'nickname'],
    ['a name that is no text', 'POST', '/contacts', { phone: '4915550006000', name: 1 }, 400, 'name'],
    [
      'a flag that is none',
      'POST',
      '/contacts',
      { phone: '4915550006000', registered: 'no' },
      400,
      'registered',
    ],
    [
      'an alias that is no number',
      'POST',
      '/contacts',
      { phone: '4915550006000', aliases: ['x'] },
      400,
      'aliases',
    ],
    [
      'an alias of itself',
      'POST',
      '/contacts',
      { phone: '4915550006000', aliases: ['4915550006000'] },
      400,
      'aliases',
    ],
    ['a behaviour nobody has', 'PUT', '/contacts/4915550006000/behaviour', { read: 'maybe' }, 400, 'read'],
    ['a negative delay', 'PUT', '/contacts/4915550006000/behaviour', { readDelayMs: -1 }, 400, 'readDelayMs'],
    ['a mode of disconnecting', 'POST', '/accounts/4915550006000/disconnect', { mode: 'bang' }, 400, 'mode'],
    ['a behaviour of null', 'PUT', '/contacts/4915550006000/behaviour', { read: null }, 400, 'read'],
    ['an ack nobody knows', 'PUT', '/accounts/4915550006000/faults', { ack: 'perhaps' }, 400, 'ack'],
    ['an ack of null', 'PUT', '/accounts/4915550006000/faults', { ack: null }, 400, 'ack'],
    ['a delay of words', 'PUT', '/accounts/4915550006000/faults', { ackDelayMs: 'long' }, 400, 'ackDelayMs'],
    ['a count of none', 'PUT', '/accounts/4915550006000/faults', { count: 0 }, 400, 'count'],
    [
      'a recipient that is none',
      'PUT',
      '/accounts/4915550006000/faults',
      { recipients: ['Ann'] },
      400,
      'recipients',
    ],
    ['a port half open', 'PUT', '/faults', { portClosed: 'half' }, 400, 'portClosed'],
    ['a status that is no error', 'PUT', '/faults', { upgradeStatus: 200 }, 400, 'upgradeStatus'],
    ['no content', 'POST', '/contacts/4915550006000/messages', { to: '4915550006000' }, 400, 'text'],
    [
      'two contents',
      'POST',
      '/contacts/4915550006000/messages',
      { to: '4915550006000', text: 'x', message: {} },
      400,
      'message',
    ],
    [
      'a message the platform does not know',
      'POST',
      '/contacts/4915550006000/messages',
      { to: '4915550006000', message: { smellMessage: {} } },
      400,
      'message',
    ],
  ])('refuses %s, naming the field', async (_what, method, path, body, status, field) => {
    const answer =
      method === 'PUT' ? await stack.put<ErrorBody>(path, body) : await stack.post<ErrorBody>(path, body);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ code: 'VALIDATION_FAILED', requestId: expect.any(String) });
    expect(Object.keys(answer.body.meta.fields ?? {})).toContain(field);
    expect(answer.body.message).toContain(field);
  });

  test.each([
    ['/accounts/4915550009999', 404, 'ACCOUNT_NOT_FOUND'],
    ['/accounts/4915550009999/faults', 404, 'ACCOUNT_NOT_FOUND'],
    ['/contacts/4915550009999', 404, 'CONTACT_NOT_FOUND'],
    ['/accounts/12', 400, 'VALIDATION_FAILED'],
    ['/contacts/4915550006000/messages?from=x', 400, 'VALIDATION_FAILED'],
    ['/contacts/4915550006000/messages?limit=0', 400, 'VALIDATION_FAILED'],
    ['/connections?since=-1', 400, 'VALIDATION_FAILED'],
    ['/connections?since=soon', 400, 'VALIDATION_FAILED'],
    ['/connections?since=1', 400, 'VALIDATION_FAILED'],
    ['/nowhere', 404, 'NOT_FOUND'],
  ])('answers GET %s with %i and the error body', async (path, status, code) => {
    const answer = await stack.get<ErrorBody>(path);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  test('answers what is no JSON with the error body, and names the request in a header', async () => {
    const url = `${stack.simulator.control}/accounts`;
    for (const body of ['{"phone":', '\u0000', '[]', '"text"', 'null']) {
      const response = await fetch(url, { method: 'POST', headers: JSON_TYPE, body });
      const error = (await response.json()) as ErrorBody;
      expect([response.status, error.code]).toEqual([400, 'VALIDATION_FAILED']);
      expect(response.headers.get('x-request-id')).toBe(error.requestId);
    }
    const large = await fetch(url, {
      method: 'POST',
      headers: JSON_TYPE,
      body: 'x'.repeat(17 * 1024 * 1024),
    });
    expect(large.status).toBe(413);
  });

  test('writes to an unknown account are refused with its number', async () => {
    const path = '/contacts/4915550006103/messages';
    const { status, body } = await stack.post<ErrorBody>(path, { to: '4915550009998', text: 'hi' });
    expect([status, body.code]).toEqual([404, 'ACCOUNT_NOT_FOUND']);
    expect(body.message).toContain('4915550009998');
  });

  test('describes itself: every field has a description and an example', async () => {
    interface Schema {
      properties?: Record<
        string,
        { description?: string; example?: unknown; items?: unknown; allOf?: unknown }
      >;
    }
    const { body } = await stack.get<{ openapi: string; components: { schemas: Record<string, Schema> } }>(
      '/openapi.json',
    );
    expect(body.openapi).toBe('3.1.0');
    for (const [name, schema] of Object.entries(body.components.schemas)) {
      for (const [field, property] of Object.entries(schema.properties ?? {})) {
        const described = property.description !== undefined;
        const shown =
          property.example !== undefined || property.items !== undefined || property.allOf !== undefined;
        expect([name, field, described && shown]).toEqual([name, field, true]);
      }
    }
    expect((await fetch(`${stack.simulator.control}/docs`)).headers.get('content-type')).toContain(
      'text/html',
    );
  });

  test('forgets everybody on reset', async () => {
    await stack.post('/reset');
    expect((await stack.get('/accounts')).body).toEqual({ items: [] });
    expect((await stack.get('/messages/summary')).body).toEqual({ received: 0, duplicates: 0, contacts: 0 });
  });
});
