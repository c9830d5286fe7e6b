import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { type PhoneClient, until } from '../support/phone-client.js';
import { Stack } from '../support/stack.js';

const ACCOUNT = '4915550008000';
const ERROR = 0;
const DELIVERED = 3;

describe('faults on demand', () => {
  let stack: Stack;
  let client: PhoneClient;
  let lastContact = 4915550008100;
  const newContact = (): string => String(++lastContact);
  const faults = (body: object) => stack.put(`/accounts/${ACCOUNT}/faults`, body);
  const framesAbout = (id: string): string[] =>
    client.frames.filter(({ attrs }) => attrs.id === id).map(({ tag }) => tag);
  const acked = (id: string) => until(() => framesAbout(id).includes('ack'), `the ack of ${id}`);
  /** Sends a message without a fault; one that was held back before it would have come by now. */
  const sendAnother = async (): Promise<void> => {
    const id = await client.sendText(newContact(), 'another');
    await acked(id);
  };

  beforeAll(async () => {
    stack = await Stack.start();
    client = await stack.linked(ACCOUNT, { keepAliveIntervalMs: 200 });
  });
  afterEach(async () => {
    await stack.call('DELETE', `/accounts/${ACCOUNT}/faults`);
    await stack.call('DELETE', '/faults');
    if (client.state.connection !== 'open') client.connect({ keepAliveIntervalMs: 200 });
    await client.opened();
  });
  afterAll(() => stack.close());

  test('no ack: the message arrives, and only the receipt of the contact tells', async () => {
    const contact = newContact();
    await faults({ ack: 'never', recipients: [contact] });
    const id = await client.sendText(contact, 'hello');
    expect(await stack.receivedBy(contact)).toMatchObject([{ id, text: 'hello' }]);
    await until(() => client.statusOf(id) === DELIVERED, 'the receipt');
    await sendAnother();
    expect(framesAbout(id)).toEqual(['receipt']);
  });

  test('lost: neither does the message arrive nor an ack come', async () => {
    const contact = newContact();
    await faults({ ack: 'lost', count: 1 });
    const id = await client.sendText(contact, 'into the void');
    const next = await client.sendText(contact, 'arrives');
    expect(await stack.receivedBy(contact)).toMatchObject([{ id: next, text: 'arrives' }]);
    expect(framesAbout(id)).toEqual([]);
  });

  test('a slow ack comes after its time, before the receipt, and holds up nothing else', async () => {
    const contact = newContact();
    await faults({ ackDelayMs: 4_000, recipients: [contact] });
    const startedAt = performance.now();
    const id = await client.sendText(contact, 'slow');
    await sendAnother();
    expect(framesAbout(id)).toEqual([]);
    await until(() => client.statusOf(id) === DELIVERED, 'the receipt');
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(3_990);
    expect(framesAbout(id)).toEqual(['ack', 'receipt']);
  });

  test('an error on the ack: the client is told, and nothing arrives', async () => {
    const contact = newContact();
    await faults({ ackError: 421, recipients: [contact] });
    const id = await client.sendText(contact, 'refused');
    await until(() => client.statusOf(id) === ERROR, 'the error');
    const { update } = client.updates.find(({ key }) => key.id === id) ?? {};
    expect(update?.messageStubParameters).toEqual(['421']);
    await sendAnother();
    expect(await stack.received(contact)).toEqual([]);
  });

  test('a limited fault is used up, and a repetition of the same id arrives once', async () => {
    const contact = newContact();
    const { body } = await faults({ ackError: 500, count: 2 });
    expect(body).toMatchObject({ ackError: 500, count: 2 });
    const id = await client.sendText(contact, 'third time lucky', '3EB0FFFFFFFFFFFFFFFF');
    await until(() => client.statusOf(id) === ERROR, 'the error');
    for (let attempt = 0; attempt < 2; attempt++) await client.sendText(contact, 'third time lucky', id);
    expect(await stack.receivedBy(contact)).toMatchObject([{ id, duplicates: 0 }]);
    const left = await stack.get(`/accounts/${ACCOUNT}/faults`);
    expect(left.body).toMatchObject({ ack: 'auto', ackError: null, count: null });
  });

  test('a silent platform: the socket stays open until the client misses its pings', async () => {
    const contact = newContact();
    await acked(await client.sendText(contact, 'known from now on'));
    await faults({ silent: true });
    const id = await client.sendText(contact, 'anybody?');
    const written = await stack.write(contact, ACCOUNT, 'can you hear me?');
    expect((await stack.account(ACCOUNT)).devices[0]).toMatchObject({ online: true });
    expect(await client.closed()).toBe(408);
    expect(framesAbout(id)).toEqual([]);
    expect(await stack.received(contact)).toHaveLength(1);
    expect(await stack.sentBy(contact, written)).toMatchObject({ status: 'QUEUED', deliveries: 0 });
  });

  test('a silence that ends in time: what came up meanwhile is delivered on the same connection', async () => {
    const contact = newContact();
    await faults({ silent: true });
    const { connectedAt } = (await stack.account(ACCOUNT)).devices[0] ?? {};
    const written = await stack.write(contact, ACCOUNT, 'can you hear me now?');
    await faults({ silent: false });
    expect(await stack.becomes(contact, written, 'DELIVERED')).toMatchObject({ deliveries: 1 });
    expect((await stack.account(ACCOUNT)).devices[0]?.connectedAt).toBe(connectedAt);
  });

  test('a login that is not answered leaves the client connecting, as long as its pings are', async () => {
    await faults({ login: 'never' });
    await client.stop();
    client.frames.length = 0;
    client.connect({ keepAliveIntervalMs: 50 });
    await until(() => client.frames.length >= 3, 'three answers');
    expect(new Set(client.frames.map(({ tag }) => tag))).toEqual(new Set(['iq']));
    expect(client.state.connection).toBe('connecting');
    await client.stop();
  });

  test('a login that falls into a silence hears nothing', async () => {
    await faults({ silent: true });
    await client.stop();
    client.frames.length = 0;
    client.connect({ keepAliveIntervalMs: 200 });
    expect(await client.closed()).toBe(408);
    expect(client.frames).toEqual([]);
  });

  test('a refused login ends with its code, and the next one is let in once it is cleared', async () => {
    await faults({ loginError: 403 });
    await client.stop();
    client.connect();
    expect(await client.closed()).toBe(403);
  });

  test('an HTTP error on the upgrade: the connection is closed, as often as asked for', async () => {
    await stack.put('/faults', { upgradeStatus: 503, count: 2 });
    const refused = (): Promise<string> =>
      new Promise((resolve) => {
        new WebSocket(stack.simulator.websocket)
          .on('error', ({ message }) => resolve(message))
          .on('open', () => resolve('open'));
      });
    expect(await refused()).toContain('503');
    await client.stop();
    client.connect({ connectTimeoutMs: 500 });
    await until(async () => (await door()).upgradeStatus === null, 'the second refusal');
    // The library reports nothing at all here, whatever its time limit: its owner has to notice.
    expect(client.state.connection).toBe('connecting');
    client.connect();
    await client.opened();
  });

  const door = async () => (await stack.get<{ upgradeStatus: number | null }>('/faults')).body;
});
