import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { stanza } from '../../src/wire/nodes.js';
import { type PhoneClient, until } from '../support/phone-client.js';
import { RawClient } from '../support/raw-client.js';
import { Stack } from '../support/stack.js';

const ACCOUNT = '4915550014000';
const OTHER = '4915550014001';
const CONTACT = '4915550014002';

describe('ways of going deaf', () => {
  let stack: Stack;
  let client: PhoneClient;
  let other: PhoneClient;

  beforeAll(async () => {
    stack = await Stack.start();
    [client, other] = [await stack.linked(ACCOUNT), await stack.linked(OTHER)];
    await until(async () => (await stack.account(ACCOUNT)).devices[0]?.queued === 0, 'the first sync');
  });
  afterEach(async () => {
    await stack.call('DELETE', `/accounts/${ACCOUNT}/faults`);
    await stack.call('DELETE', '/faults');
  });
  afterAll(() => stack.close());

  const faults = (body: object) => stack.put(`/accounts/${ACCOUNT}/faults`, body);
  const raw = async (): Promise<RawClient> => {
    await client.stop();
    const made = new RawClient();
    await made.resume(stack.simulator.websocket, client.credentials);
    return made;
  };
  const ping = (id: string) => stanza('iq', { type: 'get', xmlns: 'w:p', id }, [stanza('ping')]);
  const query = (id: string) => stanza('iq', { type: 'get', xmlns: 'blocklist', id });
  const answered = (by: RawClient, id: string): boolean => by.stanzas.some(({ attrs }) => attrs.id === id);

  test('black hole: nothing is answered, not even the end; what came up is there afterwards', async () => {
    const deaf = await raw();
    await faults({ blackHole: true });
    deaf.send(ping('lost?'));
    const id = await stack.write(CONTACT, ACCOUNT, 'into the hole');
    // Another client is answered as ever, so the hole would have answered by now.
    const answeredId = await other.sendText(CONTACT, 'over here');
    await stack.receivedBy(CONTACT);
    await until(() => other.frames.some(({ attrs }) => attrs.id === answeredId), 'the ack');
    expect(answered(deaf, 'lost?')).toBe(false);
    expect(await stack.sentBy(CONTACT, id)).toMatchObject({ status: 'QUEUED', deliveries: 0 });
    await faults({ blackHole: false });
    await until(() => answered(deaf, 'lost?') && answered(deaf, id), 'what was held up');
    deaf.stop();
  });

  test('black hole: the end of a connection is not answered while it lasts', async () => {
    const deaf = await raw();
    await faults({ blackHole: true });
    deaf.end();
    // Another connection that begins to end later has been answered by now.
    const witness = new WebSocket(stack.simulator.websocket);
    witness.on('open', () => witness.close());
    await new Promise((resolve) => witness.once('close', resolve));
    expect(deaf.closed).toBe(false);
    await faults({ blackHole: false });
    await until(() => deaf.closed, 'the close');
  });

  test('black hole: a login that falls into it hears nothing', async () => {
    await faults({ blackHole: true });
    const deaf = new RawClient();
    const login = deaf.resume(stack.simulator.websocket, client.credentials).then(
      () => 'in',
      () => 'out',
    );
    const answeredId = await other.sendText(CONTACT, 'meanwhile');
    await until(() => other.frames.some(({ attrs }) => attrs.id === answeredId), 'the ack');
    expect(deaf.stanzas).toEqual([]);
    deaf.stop();
    void login;
  });

  test('unanswered: the queries named get no answer, others do', async () => {
    const mute = await raw();
    await faults({ unanswered: ['blocklist'] });
    mute.send(query('unheard'));
    mute.send(ping('heard'));
    await mute.waitFor(({ attrs }) => attrs.id === 'heard', 'the answer to the ping');
    expect(answered(mute, 'unheard')).toBe(false);
    mute.stop();
  });

  test('unanswered: all but pings, and the connection looks alive', async () => {
    const mute = await raw();
    await faults({ unanswered: ['*'] });
    mute.send(query('first'));
    mute.send(ping('alive'));
    await mute.waitFor(({ attrs }) => attrs.id === 'alive', 'the answer to the ping');
    expect(answered(mute, 'first')).toBe(false);
    await faults({ unanswered: ['w:p'] });
    mute.send(ping('dead'));
    mute.send(query('second'));
    await mute.waitFor(({ attrs }) => attrs.id === 'second', 'the answer to the query');
    expect(answered(mute, 'dead')).toBe(false);
    mute.stop();
  });

  test('unanswered: a client is let in but does not open, however alive it looks', async () => {
    await faults({ unanswered: ['*'] });
    await client.stop();
    client.frames.length = 0;
    client.connect({ keepAliveIntervalMs: 50 });
    await until(() => client.frames.filter(({ tag }) => tag === 'iq').length >= 3, 'answers to pings');
    expect(client.frames.map(({ tag }) => tag)).toContain('success');
    expect(client.state.connection).toBe('connecting');
    await client.stop();
  });

  test.each([
    ['undecryptable', 'a frame under no key'],
    ['undecodable', 'a frame that is no stanza'],
  ])('rubbish: %s, %s', async (kind) => {
    const reader = await raw();
    reader.failures.length = 0;
    const { body } = await stack.post(`/accounts/${ACCOUNT}/frames`, { kind });
    expect(body).toEqual({ sent: 1 });
    await until(() => reader.failures.length === 1, 'the failure');
    expect(reader.closed).toBe(false);
    reader.stop();
  });

  test('any stanza can be put on the wire', async () => {
    await client.stop();
    client.connect();
    await client.opened();
    const downgrade = { tag: 'ib', attrs: {}, content: [{ tag: 'downgrade_webclient' }] };
    const { body } = await stack.post(`/accounts/${ACCOUNT}/stanzas`, { stanza: downgrade });
    expect(body).toEqual({ sent: 1 });
    expect(await client.closed()).toBe(411);
  });

  test.each([
    [{ tag: '' }],
    [{ tag: 'a', attrs: { n: 1 } }],
    [{ tag: 'a', content: 7 }],
    [{ tag: 'a', content: [{ attrs: {} }] }],
  ])('no stanza is made of %j', async (json) => {
    const { status } = await stack.post(`/accounts/${ACCOUNT}/stanzas`, { stanza: json });
    expect(status).toBe(400);
  });

  test('an upgrade that is never answered ends with the time limit of the client', async () => {
    await stack.put('/faults', { upgrade: 'never', count: 1 });
    await client.stop();
    client.connect({ connectTimeoutMs: 500 });
    expect(await client.closed()).toBe(408);
    client.connect();
    await client.opened();
  });

  test('a closed port refuses newcomers; who is connected stays, and it can be opened again', async () => {
    await other.opened();
    expect((await stack.put('/faults', { portClosed: true })).body).toMatchObject({ portClosed: true });
    await client.stop();
    expect(await refusedAt(stack.simulator.websocket)).toBe('ECONNREFUSED');
    client.connect();
    expect(await client.closed()).toBe(408);
    const answeredId = await other.sendText(CONTACT, 'from inside');
    await until(() => other.frames.some(({ attrs }) => attrs.id === answeredId), 'the ack');
    expect((await stack.call('DELETE', '/faults')).body).toMatchObject({ portClosed: false });
    client.connect();
    await client.opened();
  });

  test('an open WebSocket on which nothing is said keeps the client waiting', async () => {
    await stack.put('/faults', { upgrade: 'mute', count: 1 });
    const mute = new WebSocket(stack.simulator.websocket);
    const said: unknown[] = [];
    mute.on('message', (data) => said.push(data));
    await new Promise((resolve) => mute.once('open', resolve));
    mute.send(Buffer.from('anything'));
    const pong = new Promise((resolve) => mute.once('pong', resolve));
    mute.ping();
    await pong;
    expect(said).toEqual([]);
    mute.terminate();
  });
});

/** Connects and returns the reason for which the system refuses. */
const refusedAt = (url: string): Promise<unknown> =>
  new Promise((resolve) => {
    const socket = new WebSocket(url);
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code));
    socket.on('open', () => resolve('open'));
  });
