import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { bundleNodes, readRetryBundle, registrationNode } from '../../src/signal/key-bundle.js';
import { unpad } from '../../src/signal/padding.js';
import { SignalDevice } from '../../src/signal/signal-device.js';
import { bytesOf, child, type Stanza, stanza } from '../../src/wire/nodes.js';
import { until } from '../support/phone-client.js';
import { RawClient } from '../support/raw-client.js';
import { Stack } from '../support/stack.js';

const ACCOUNT = '4915550007000';
const CONTACT = '4915550007001';
const ADDRESS = `${CONTACT}@s.whatsapp.net`;

describe('resends', () => {
  let stack: Stack;
  let credentials: Awaited<ReturnType<Stack['linked']>>['credentials'];
  let raw: RawClient;

  beforeAll(async () => {
    stack = await Stack.start();
    const client = await stack.linked(ACCOUNT);
    credentials = client.credentials;
    await until(async () => (await stack.account(ACCOUNT)).devices[0]?.queued === 0, 'the first sync');
    await client.stop();
  });
  afterAll(() => stack.close());

  beforeEach(async () => {
    raw?.stop();
    raw = new RawClient();
    await raw.resume(stack.simulator.websocket, credentials);
  });

  const sendRubbish = (id: string): void => {
    const enc = stanza('enc', { v: 2, type: 'msg' }, Buffer.alloc(60, 3));
    const to = stanza('to', { jid: ADDRESS }, [enc]);
    raw.send(stanza('message', { id, to: ADDRESS, type: 'text' }, [stanza('participants', {}, [to])]));
  };
  const requests = (id: string): Stanza[] =>
    raw.stanzas.filter(({ tag, attrs }) => tag === 'receipt' && attrs.type === 'retry' && attrs.id === id);

  test('are asked for without keys first, then with keys, and at most five times', async () => {
    for (let attempt = 1; attempt <= 7; attempt++) sendRubbish('UNREADABLE');
    await until(() => raw.stanzas.filter(({ tag }) => tag === 'ack').length === 7, 'seven acks');
    const asked = requests('UNREADABLE');
    expect(asked.map((node) => child(node, 'retry')?.attrs.count)).toEqual(['1', '2', '3', '4', '5']);
    expect(asked.map((node) => readRetryBundle(node) !== undefined)).toEqual([false, true, true, true, true]);
    expect(asked[0]?.attrs.from).toBe(ADDRESS);
    expect(await stack.received(CONTACT)).toEqual([]);
  });

  test('wait for a client that is offline, until it confirms the request', async () => {
    sendRubbish('LATER');
    await until(() => requests('LATER').length === 1, 'the request');
    raw.stop();
    raw = new RawClient();
    await raw.resume(stack.simulator.websocket, credentials);
    await until(() => requests('LATER').length === 1, 'the request again');
    raw.send(stanza('ack', { class: 'receipt', type: 'retry', id: 'LATER', to: ADDRESS }));
    raw.stop();
    raw = new RawClient();
    await raw.resume(stack.simulator.websocket, credentials);
    await raw.waitFor(({ tag }) => tag === 'ib', 'the end of the backlog');
    expect(requests('LATER')).toEqual([]);
  });

  test('are encrypted with the keys that the request brings along', async () => {
    const id = await stack.write(CONTACT, ACCOUNT, 'once more, please');
    const first = await raw.waitFor(({ tag, attrs }) => tag === 'message' && attrs.id === id, 'the message');
    const reader = new SignalDevice(Buffer.alloc(32, 5));
    const keys = stanza('keys', {}, bundleNodes(reader.bundle()));
    const retry = stanza('retry', { count: 2, id, v: 1 });
    const request = [retry, registrationNode(reader.registrationId), keys];
    raw.send(stanza('receipt', { id, type: 'retry', to: first.attrs.from }, request));
    raw.send(stanza('ack', { class: 'message', id, to: first.attrs.from, error: 500 }));
    const again = await until(() => raw.stanzas.filter(({ attrs }) => attrs.id === id)[1], 'the resend');
    const enc = child(again, 'enc');
    expect(enc?.attrs).toMatchObject({ type: 'pkmsg', count: '1' });
    const plain = await reader.decrypt('contact.0', 'pkmsg', bytesOf(enc) ?? Buffer.alloc(0));
    expect(proto.Message.decode(unpad(plain)).conversation).toBe('once more, please');
    expect((await stack.sentBy(CONTACT, id)).status).toBe('SENT');
    raw.send(stanza('receipt', { id, to: first.attrs.from }));
    await stack.becomes(CONTACT, id, 'DELIVERED');
  });

  test('end after five requests', async () => {
    const id = await stack.write(CONTACT, ACCOUNT, 'endless');
    const { attrs } = await raw.waitFor(
      (node) => node.tag === 'message' && node.attrs.id === id,
      'the message',
    );
    const request = stanza('receipt', { id, type: 'retry', to: attrs.from }, [
      stanza('retry', { count: 1, id }),
    ]);
    for (let count = 0; count < 7; count++) raw.send(request);
    const acks = (): Stanza[] => raw.stanzas.filter((node) => node.tag === 'ack' && node.attrs.id === id);
    await until(() => acks().length === 7, 'seven acks');
    expect(await stack.sentBy(CONTACT, id)).toMatchObject({ deliveries: 6, receipts: 0 });
  });
});
