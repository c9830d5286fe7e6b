import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type PhoneClient, until } from '../support/phone-client.js';
import { Stack } from '../support/stack.js';

const ACCOUNT = '4915550014000';
const CONTACT = '4915550014100';

describe('what waits until it is acknowledged', () => {
  let stack: Stack;
  let client: PhoneClient;

  beforeAll(async () => {
    stack = await Stack.start();
    client = await stack.linked(ACCOUNT);
    await nothingWaits();
  });
  afterAll(() => stack.close());

  const queued = async () => (await stack.account(ACCOUNT)).devices[0]?.queued;
  const nothingWaits = () => until(async () => (await queued()) === 0, 'nothing to wait');
  const reconnect = async (): Promise<void> => {
    await client.stop();
    client.connect();
    await client.opened();
  };
  const write = async (body: object): Promise<string> =>
    (
      await stack.post<{ id: string }>(`/contacts/${CONTACT}/messages`, {
        to: ACCOUNT,
        text: 'words',
        ...body,
      })
    ).body.id;
  const arrived = (id: string) => until(() => client.messageOf(id), `${id} to arrive`);

  test('a notification that is kept comes at the next login, and no more once it is acknowledged', async () => {
    const attrs = { type: 'surprise', id: 'kept', from: 's.whatsapp.net', t: '1790000000' };
    await client.stop();
    const body = { stanza: { tag: 'notification', attrs, content: [] }, keep: true };
    expect((await stack.post(`/accounts/${ACCOUNT}/stanzas`, body)).body).toEqual({ sent: 0 });
    expect(await queued()).toBe(1);
    client.connect();
    await client.opened();
    await nothingWaits();
  });

  test('a status that cannot be read holds back, at the next login, what was written after it', async () => {
    const attributes = { from: 'status@broadcast', participant: `${CONTACT}@s.whatsapp.net` };
    await write({ attributes, flaws: { undecryptable: 1_000 } });
    const live = await write({ text: 'live' });
    await arrived(live);
    await client.stop();
    const late = await write({ text: 'late' });
    client.connect();
    await client.opened();
    // A device that is there gets news past it.
    const witness = await write({ text: 'witness' });
    await arrived(witness);
    expect(client.messageOf(late)).toBeUndefined();
    await reconnect();
    expect(client.messageOf(late)).toBeUndefined();
    expect(await queued()).toBeGreaterThanOrEqual(2);
  });
});
