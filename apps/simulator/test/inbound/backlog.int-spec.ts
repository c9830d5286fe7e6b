import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { child, type Stanza, stanza } from '../../src/wire/nodes.js';
import { type PhoneClient, until } from '../support/phone-client.js';
import { RawClient } from '../support/raw-client.js';
import { Stack } from '../support/stack.js';

let lastPhone = 4915550007000;
const newPhone = (): string => String(++lastPhone);

describe('messages that waited', () => {
  let stack: Stack;

  beforeAll(async () => void (stack = await Stack.start()));
  afterAll(() => stack.close());

  const arrival = (client: PhoneClient, text: string) =>
    until(() => client.texts().find((message) => message.text === text), `"${text}" to arrive`);

  test('arrive also when the last one-time key is used up', async () => {
    const account = newPhone();
    const client = await stack.linked(account);
    // A client that misses its first history holds back what arrives.
    await until(async () => (await stack.account(account)).devices[0]?.queued === 0, 'all to be confirmed');
    await client.stop();
    const drained = new RawClient();
    await drained.resume(stack.simulator.websocket, client.credentials);
    const device = stanza('user', { jid: `${account}:1@s.whatsapp.net` });
    const bundles = stanza('key', {}, new Array<Stanza>(812).fill(device));
    drained.send(stanza('iq', { type: 'get', xmlns: 'encrypt', id: 'keys' }, [bundles]));
    await drained.waitFor(({ attrs }) => attrs.id === 'keys', 'the last bundle');
    drained.send(stanza('iq', { type: 'get', xmlns: 'encrypt', id: 'count' }, [stanza('count')]));
    const left = await drained.waitFor(({ attrs }) => attrs.id === 'count', 'the count');
    expect(left).toMatchObject({ content: [{ tag: 'count', attrs: { value: '0' } }] });
    await stack.write(newPhone(), account, 'no key needed');
    drained.stop();
    client.connect();
    await arrival(client, 'no key needed');
    // The client makes a new supply, and the next stranger takes one of it.
    await stack.write(newPhone(), account, 'with a key again');
    await arrival(client, 'with a key again');
  });

  test('come right after a login that is not passive', async () => {
    const account = newPhone();
    const client = await stack.linked(account);
    await until(async () => (await stack.account(account)).devices[0]?.queued === 0, 'all to be confirmed');
    await client.stop();
    const id = await stack.write(newPhone(), account, 'while you were out');
    const active = new RawClient();
    await active.resume(stack.simulator.websocket, client.credentials, { passive: false });
    await active.waitFor(({ tag, attrs }) => tag === 'message' && attrs.id === id, 'the message');
    await active.waitFor((node) => child(node, 'offline') !== undefined, 'the end of the backlog');
    active.stop();
  });

  test('come again without those that were confirmed, in the order they were written', async () => {
    const [account, contact] = [newPhone(), newPhone()];
    const client = await stack.linked(account);
    await until(async () => (await stack.account(account)).devices[0]?.queued === 0, 'all to be confirmed');
    await client.stop();
    const ids: string[] = [];
    for (const text of ['one', 'two', 'three', 'four']) ids.push(await stack.write(contact, account, text));
    const [one, two, three, four] = ids;
    const messagesOf = (raw: RawClient) => raw.stanzas.filter(({ tag }) => tag === 'message');
    const backlogOf = (raw: RawClient) =>
      raw.waitFor((node) => child(node, 'offline') !== undefined, 'its end');

    const first = new RawClient();
    await first.resume(stack.simulator.websocket, client.credentials);
    expect(child(await backlogOf(first), 'offline')?.attrs.count).toBe('4');
    const { from } = messagesOf(first)[0]?.attrs ?? {};
    // A receipt may confirm several messages.
    const others = stanza('list', {}, [stanza('item', { id: four })]);
    first.send(stanza('receipt', { id: two, to: from }, [others]));
    await stack.becomes(contact, four ?? '', 'DELIVERED');
    first.stop();

    const second = new RawClient();
    await second.resume(stack.simulator.websocket, client.credentials);
    await backlogOf(second);
    expect(messagesOf(second).map(({ attrs }) => attrs.id)).toEqual([one, three]);
    expect(messagesOf(second).every(({ attrs }) => attrs.offline !== undefined)).toBe(true);
    expect(await stack.sentBy(contact, one ?? '')).toMatchObject({
      status: 'SENT',
      deliveries: 2,
      receipts: 0,
    });
    expect(await stack.sentBy(contact, two ?? '')).toMatchObject({ deliveries: 1, receipts: 1 });
    second.stop();
  });
});
