import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { child, children, type Stanza, stanza } from '../../src/wire/nodes.js';
import { type PhoneClient, until } from '../support/phone-client.js';
import { RawClient } from '../support/raw-client.js';
import { Stack } from '../support/stack.js';

const ACCOUNT = '4915550008000';
const CONTACT = '4915550008001';

describe('several devices of one account', () => {
  let stack: Stack;
  let first: PhoneClient;
  let second: PhoneClient;

  beforeAll(async () => {
    stack = await Stack.start();
    first = await stack.linked(ACCOUNT);
    second = await stack.linked(ACCOUNT);
  });
  afterAll(() => stack.close());

  test('see what one of them writes', async () => {
    const id = await first.sendText(CONTACT, 'from the first');
    const seen = await until(() => second.texts().find((message) => message.id === id), 'the copy');
    expect(seen).toMatchObject({ text: 'from the first' });
    expect(seen.message.key).toMatchObject({ fromMe: true, remoteJid: `${CONTACT}@s.whatsapp.net` });
    expect(await stack.receivedBy(CONTACT)).toHaveLength(1);
  });

  test('hear both that a message was delivered', async () => {
    const id = await second.sendText(CONTACT, 'from the second');
    for (const { frames } of [first, second]) {
      await until(() => frames.some(({ tag, attrs }) => tag === 'receipt' && attrs.id === id), 'the receipt');
    }
  });

  test('are counted one by one in what a contact learns', async () => {
    const id = await stack.write(CONTACT, ACCOUNT, 'to both');
    await until(async () => (await stack.sentBy(CONTACT, id)).receipts === 2, 'two receipts');
    expect(await stack.sentBy(CONTACT, id)).toMatchObject({ status: 'DELIVERED', deliveries: 2 });
  });

  test('get the copy later when they were offline', async () => {
    await second.stop();
    const id = await first.sendText(CONTACT, 'while the second was away');
    second.connect();
    const seen = await until(() => second.texts().find((message) => message.id === id), 'the copy');
    expect(seen.type).toBe('append');
  });

  test('go on after one of them has changed its signed pre-key', async () => {
    await first.socket.rotateSignedPreKey();
    const stranger = '4915550008002';
    await stack.write(stranger, ACCOUNT, 'under the new key');
    await until(() => first.texts().some(({ text }) => text === 'under the new key'), 'the message');
  });

  test('go on when another one is removed', async () => {
    await second.socket.logout();
    await second.closed();
    await until(async () => (await stack.account(ACCOUNT)).devices.length === 1, 'the removal');
    const id = await first.sendText(CONTACT, 'alone now');
    await until(() => first.statusOf(id) === 3, 'the receipt');
  });
});

describe('settings', () => {
  let stack: Stack;
  let raw: RawClient;

  beforeAll(async () => {
    stack = await Stack.start();
    const client = await stack.linked(ACCOUNT);
    await until(() => client.credentials.creds.myAppStateKeyId, 'the key of the settings');
    await client.socket.updateProfileName('Renamed');
    await client.stop();
    raw = new RawClient();
    await raw.resume(stack.simulator.websocket, client.credentials);
  });
  afterAll(async () => {
    raw.stop();
    await stack.close();
  });

  const sync = async (id: string, version: number, content?: Stanza[]): Promise<Stanza | undefined> => {
    const collection = stanza('collection', { name: 'critical_block', version }, content);
    const attributes = { type: 'set', xmlns: 'w:sync:app:state', id };
    raw.send(stanza('iq', attributes, [stanza('sync', {}, [collection])]));
    const answer = await raw.waitFor(({ tag, attrs }) => tag === 'iq' && attrs.id === id, 'the answer');
    return child(child(answer, 'sync'), 'collection');
  };

  test('that one device changed are given to one that has not seen the change', async () => {
    const behind = await sync('behind', 0);
    expect(behind?.attrs).toMatchObject({ name: 'critical_block', version: '1', has_more_patches: 'false' });
    expect(children(child(behind, 'patches'))).toHaveLength(1);
    expect(child(await sync('level', 1), 'patches')).toBeUndefined();
  });

  test('are not overwritten by a device that is behind', async () => {
    const patch = [stanza('patch', {}, Buffer.alloc(0))];
    const conflict = await sync('conflict', 0, patch);
    expect(conflict?.attrs).toMatchObject({ type: 'error', version: '1' });
    expect(child(conflict, 'error')?.attrs.code).toBe('409');
    expect((await sync('after', 1))?.attrs.version).toBe('1');
  });
});
