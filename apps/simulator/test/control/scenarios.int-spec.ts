import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type PhoneClient, until } from '../support/phone-client.js';
import { Stack } from '../support/stack.js';

const ACCOUNT = '4915550016000';

interface Scenario {
  id: string;
  state: string;
  steps: { done: number; failed: number; lastError: string | null }[];
  meta: { fields: object };
}

describe('scenarios', () => {
  let stack: Stack;
  let client: PhoneClient;
  let lastContact = 4915550016100;
  const newContact = (): string => String(++lastContact);

  beforeAll(async () => {
    stack = await Stack.start();
    client = await stack.linked(ACCOUNT);
  });
  afterAll(() => stack.close());

  const start = (...steps: object[]) => stack.post<Scenario>('/scenarios', { steps });
  const get = async (id: string) => (await stack.get<Scenario>(`/scenarios/${id}`)).body;
  const waitForEnd = (id: string) =>
    until(async () => {
      const now = await get(id);
      return now.state !== 'RUNNING' && now;
    }, 'the scenario to end');
  const write = (phone: string, times: number, everyMs = 0) => ({
    action: 'write',
    phone,
    body: { to: ACCOUNT, text: 'number {n}' },
    times,
    everyMs,
  });

  test('a contact writes while the socket drops again and again, and nothing is shown twice', async () => {
    const contact = newContact();
    const reconnecting = (): void => {
      if (client.state.connection === 'close') client.connect();
    };
    const drop = { action: 'disconnect', phone: ACCOUNT, body: { mode: 'drop' } };
    const watch = setInterval(reconnecting, 10);
    const started = await start(write(contact, 40, 20), { ...drop, times: 3, everyMs: 250, afterMs: 100 });
    expect(started.status).toBe(201);
    const { state, steps } = await waitForEnd(started.body.id);
    expect([state, ...steps]).toEqual([
      'DONE',
      { done: 40, failed: 0, lastError: null },
      { done: 3, failed: 0, lastError: null },
    ]);
    const expected = Array.from({ length: 40 }, (_, at) => `number ${at + 1}`);
    const sent = async () =>
      (await stack.get<{ items: { text: string; status: string }[] }>(`/contacts/${contact}/sent`)).body
        .items;
    await until(
      async () => (await sent()).every(({ status }) => status !== 'QUEUED'),
      'all to be on the wire',
    );
    await until(() => client.state.connection === 'open', 'the client to be back');
    clearInterval(watch);
    expect((await sent()).map(({ text }) => text)).toEqual(expected);
    const read = client.texts().filter(({ text }) => text.startsWith('number'));
    expect(new Set(read.map(({ id }) => id)).size).toBe(read.length);
  });

  test('an action that is refused is counted and told, and the rest goes on', async () => {
    const contact = newContact();
    await stack.post('/contacts', { phone: contact, registered: false });
    const { body } = await start(write(contact, 2), {
      action: 'typing',
      phone: newContact(),
      body: { to: ACCOUNT, state: 'composing' },
    });
    const { state, steps } = await waitForEnd(body.id);
    expect(state).toBe('DONE');
    expect(steps).toMatchObject([
      { done: 0, failed: 2, lastError: expect.stringContaining(contact) },
      { done: 1 },
    ]);
  });

  test('faults come and go', async () => {
    const { body } = await start(
      { action: 'faults', phone: ACCOUNT, body: { ack: 'never' } },
      { action: 'clear-faults', phone: ACCOUNT, afterMs: 100 },
    );
    const faults = async () => (await stack.get<{ ack: string }>(`/accounts/${ACCOUNT}/faults`)).body.ack;
    await until(async () => (await get(body.id)).steps[0]?.done === 1, 'the fault');
    await waitForEnd(body.id);
    expect(await faults()).toBe('auto');
  });

  test('an account wants the passkey for a while, and somebody calls meanwhile', async () => {
    const { body } = await start(
      { action: 'linking', phone: ACCOUNT, body: { passkey: 'always', refreshOnScan: 1 } },
      { action: 'linking', phone: ACCOUNT, body: { passkey: 'off' }, afterMs: 100 },
      { action: 'call', phone: newContact(), body: { to: ACCOUNT, video: true }, afterMs: 50 },
    );
    const rules = async () =>
      (await stack.get<{ passkey: string; refreshOnScan: number }>(`/accounts/${ACCOUNT}/linking`)).body;
    await until(async () => (await rules()).passkey === 'always', 'the wish for a passkey');
    const { steps } = await waitForEnd(body.id);
    expect(steps.map(({ done }) => done)).toEqual([1, 1, 1]);
    expect(await rules()).toMatchObject({ passkey: 'off', refreshOnScan: 1 });
    await until(() => client.frames.some(({ tag }) => tag === 'call'), 'the call');
    await stack.call('DELETE', `/accounts/${ACCOUNT}/linking`);
  });

  test('the platform sends what nobody knows, until it is acknowledged', async () => {
    const attrs = { type: 'surprise', id: 'of-a-scenario', from: 's.whatsapp.net', t: '1790000000' };
    const stanza = { tag: 'notification', attrs, content: [] };
    const { body } = await start({
      action: 'stanza',
      phone: ACCOUNT,
      body: { stanza, keep: true },
      times: 2,
    });
    await waitForEnd(body.id);
    await until(() => client.frames.some((frame) => frame.attrs.type === 'surprise'), 'the notification');
    await until(async () => (await stack.account(ACCOUNT)).devices[0]?.queued === 0, 'its acknowledgement');
  });

  test('a scenario can be stopped, also in the middle of a long wait', async () => {
    const { body } = await start(write(newContact(), 1_000, 60_000));
    await until(async () => (await get(body.id)).steps[0]?.done === 1, 'the first');
    const stopped = await stack.call<Scenario>('DELETE', `/scenarios/${body.id}`);
    expect(stopped.body).toMatchObject({ state: 'STOPPED', steps: [{ done: 1 }] });
  });

  test.each<[object, string]>([
    [{ action: 'dance', phone: '4915550016001' }, 'steps.0.action'],
    [{ action: 'write', phone: '4915550016001', body: { text: 'to whom?' } }, 'body.to'],
    [{ action: 'rubbish', phone: '4915550016001', body: { kind: 'any' } }, 'body.kind'],
    [{ action: 'clear-faults', phone: '4915550016001', body: { all: true } }, 'body.all'],
    [{ action: 'linking', phone: '4915550016001', body: { passkey: 'sometimes' } }, 'body.passkey'],
    [{ action: 'call', phone: '4915550016001', body: {} }, 'body.to'],
  ])('refuses the step %j, naming %s', async (step, field) => {
    const { status, body } = await start(step);
    expect(status).toBe(400);
    expect(Object.keys(body.meta.fields)).toContain(field);
  });

  test('knows no scenario that was not started', async () => {
    expect((await stack.get('/scenarios/nothing')).status).toBe(404);
  });
});
