import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { frame, PROLOGUE } from '../../src/noise/frames.js';
import { encodeStanza, stanza } from '../../src/wire/nodes.js';
import { until } from '../support/phone-client.js';
import { RawClient } from '../support/raw-client.js';
import { Stack } from '../support/stack.js';

const ACCOUNT = '4915550004000';

describe('connections', () => {
  let stack: Stack;
  let client: Awaited<ReturnType<Stack['linked']>>;

  beforeAll(async () => {
    stack = await Stack.start();
    client = await stack.linked(ACCOUNT);
  });
  afterAll(() => stack.close());

  const reopened = async (): Promise<void> => {
    if (client.state.connection !== 'open') client.connect();
    await client.opened();
  };
  const disconnect = (body?: unknown) => stack.post(`/accounts/${ACCOUNT}/disconnect`, body);

  test.each([
    [undefined, 428],
    [{ mode: 'close' }, 428],
    [{ mode: 'drop' }, 428],
    [{ mode: 'stream-error' }, 503],
    [{ mode: 'stream-error', code: 515 }, 515],
    [{ mode: 'stream-error', code: 401 }, 401],
    [{ mode: 'stream-error', code: 440 }, 440],
    [{ mode: 'failure', code: 403 }, 403],
    [{ mode: 'failure' }, 503],
  ])('ended with %j close with %i at the client, which can come back', async (body, code) => {
    await reopened();
    expect((await disconnect(body)).body).toEqual({ disconnected: 1 });
    expect(await client.closed()).toBe(code);
    await reopened();
  });

  test('of a device that logs in again are replaced: the first hears 440', async () => {
    await reopened();
    const second = stack.client(client.credentials).connect();
    expect(await client.closed()).toBe(440);
    await second.opened();
    const { devices } = await stack.account(ACCOUNT);
    expect(devices).toEqual([expect.objectContaining({ device: 1, online: true })]);
    await second.stop();
  });

  test('are not counted as online once they are gone', async () => {
    await reopened();
    await client.stop();
    await until(async () => !(await stack.account(ACCOUNT)).devices[0]?.online, 'the device to be offline');
    expect((await disconnect()).body).toEqual({ disconnected: 0 });
  });

  test('of an unlinked device end with 401, and it cannot come back', async () => {
    const phone = '4915550004001';
    const unlinked = await stack.linked(phone);
    expect((await stack.post(`/accounts/${phone}/unlink`)).body).toEqual({ unlinked: 1 });
    expect(await unlinked.closed()).toBe(401);
    expect((await stack.account(phone)).devices).toEqual([]);
    unlinked.connect();
    expect(await unlinked.closed()).toBe(401);
  });

  test('of a device that logs out end with 401, and the platform forgets it', async () => {
    const phone = '4915550004002';
    const leaving = await stack.linked(phone);
    await leaving.socket.logout();
    expect(await leaving.closed()).toBe(401);
    await until(async () => (await stack.account(phone)).devices.length === 0, 'the device to be forgotten');
  });

  test('stay alive by pings', async () => {
    const phone = '4915550004003';
    const patient = await stack.linked(phone, { keepAliveIntervalMs: 100 });
    const pings = (): number => patient.frames.filter(({ tag }) => tag === 'iq').length;
    const before = pings();
    await until(() => pings() >= before + 3, 'three answered pings');
    expect(patient.state.connection).toBe('open');
    await patient.stop();
  });

  test('of a client that talks rubbish end without harm to others', async () => {
    await reopened();
    const url = stack.simulator.websocket;
    const rubbish = [
      Buffer.from('GET / HTTP/1.1'),
      Buffer.concat([PROLOGUE, frame(Buffer.from('not a handshake'))]),
      Buffer.concat([PROLOGUE, frame(Buffer.alloc(0))]),
      Buffer.concat([Buffer.from([0x45, 0x44, 0, 1, 0, 0, 1, 9]), Buffer.from('XXXX')]),
    ];
    for (const bytes of rubbish) {
      const socket = new WebSocket(url);
      const closed = new Promise((resolve) => socket.on('close', resolve));
      socket.on('open', () => socket.send(bytes)).on('error', () => undefined);
      await closed;
    }
    const text = new WebSocket(url);
    const ended = new Promise((resolve) => text.on('close', resolve));
    text.on('open', () => text.send('some text')).on('error', () => undefined);
    await ended;
    const id = await client.sendText('4915550004900', 'still here');
    await until(() => client.statusOf(id) === 3, 'the receipt');
  });

  test('that are no WebSocket at all end without harm', async () => {
    const { port } = new URL(stack.simulator.websocket);
    const socket = connect(Number(port), '127.0.0.1', () => socket.write('\x16\x03\x01garbage\r\n\r\n'));
    // Unread data would keep the end of the connection from being noticed.
    socket.resume();
    await new Promise((resolve) => socket.on('close', resolve).on('error', () => undefined));
    const wrongPath = new WebSocket(stack.simulator.websocket.replace('/ws/chat', '/elsewhere'));
    await new Promise((resolve) => wrongPath.on('error', resolve));
    expect((await fetch(`http://127.0.0.1:${port}/elsewhere`)).status).toBe(426);
  });

  test('end when the ciphertext or the node behind it is broken', async () => {
    await client.stop();
    const withoutList = Buffer.from([0, 42, 42, 42]);
    const withoutEnd = encodeStanza(stanza('message', { id: 'x' }, [stanza('enc')])).subarray(0, 6);
    const spoilt: ((raw: RawClient) => void)[] = [
      (raw) => raw.sendBytes(frame(Buffer.alloc(40, 1))),
      (raw) => raw.sendEncrypted(withoutList),
      (raw) => raw.sendEncrypted(withoutEnd),
      (raw) => raw.sendEncrypted(Buffer.alloc(0)),
    ];
    for (const spoil of spoilt) {
      const raw = new RawClient();
      await raw.resume(stack.simulator.websocket, client.credentials);
      expect(raw.closed).toBe(false);
      spoil(raw);
      await until(() => raw.closed, 'the close');
    }
    client.connect();
    await client.opened();
  });

  test('survive stanzas that make no sense, and answer unknown questions with an empty result', async () => {
    await client.stop();
    const raw = new RawClient();
    await raw.resume(stack.simulator.websocket, client.credentials);
    raw.send(stanza('message'));
    raw.send(stanza('message', { id: 'x' }, [stanza('enc')]));
    raw.send(stanza('message', { id: 'm', to: 'nobody' }, [stanza('participants', {}, [stanza('to')])]));
    raw.send(stanza('receipt'));
    raw.send(stanza('receipt', { id: 'r', type: 'retry', to: 'nobody' }));
    raw.send(stanza('ack', { class: 'message' }));
    raw.send(stanza('chatstate', { to: '4915550004901@s.whatsapp.net' }, [stanza('composing')]));
    raw.send(stanza('iq', { type: 'get', xmlns: 'usync', id: 'u' }));
    raw.send(stanza('iq', { type: 'get', xmlns: 'nonsense', id: 'n' }));
    const answer = await raw.waitFor(({ attrs }) => attrs.id === 'n', 'the answer');
    expect(answer.attrs).toMatchObject({ type: 'result' });
    expect(answer.content).toBeUndefined();
    raw.stop();
  });

  test('refuse a message with a forged device identity', async () => {
    await client.stop();
    const raw = new RawClient();
    await raw.resume(stack.simulator.websocket, client.credentials);
    const to = '4915550004902@s.whatsapp.net';
    const forged = stanza('device-identity', {}, Buffer.from('0a020801', 'hex'));
    raw.send(stanza('message', { id: 'forged', to, type: 'text' }, [forged]));
    const ack = await raw.waitFor(({ tag, attrs }) => tag === 'ack' && attrs.id === 'forged', 'the ack');
    expect(ack.attrs.error).toBe('479');
    raw.stop();
  });
});
