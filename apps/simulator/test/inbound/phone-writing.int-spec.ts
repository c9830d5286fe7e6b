import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type PhoneClient, until } from '../support/phone-client.js';
import { Stack } from '../support/stack.js';

const ACCOUNT = '4915550018000';
const CONTACT = '4915550018001';

describe('what the owner of an account writes on the phone', () => {
  let stack: Stack;
  let client: PhoneClient;

  beforeAll(async () => {
    stack = await Stack.start();
    client = await stack.linked(ACCOUNT);
  });
  afterAll(() => stack.close());

  const write = async (body: object): Promise<string> =>
    (await stack.post<{ id: string }>(`/accounts/${ACCOUNT}/messages`, body)).body.id;
  const queued = async (): Promise<number | undefined> => (await stack.account(ACCOUNT)).devices[0]?.queued;

  test.each([
    ['lid', '@lid'],
    ['pn', `${CONTACT}@s.whatsapp.net`],
    ['pn-only', `${CONTACT}@s.whatsapp.net`],
  ])('is seen by its device as its own, and by the contact, addressed by %s', async (addressing, chat) => {
    const id = await write({ to: CONTACT, text: 'We are open', addressing });
    const { message } = await until(() => client.texts().find((each) => each.id === id), 'the copy');
    expect(message.key).toMatchObject({ fromMe: true, remoteJid: expect.stringContaining(chat) });
    const [received] = (await stack.received(CONTACT)).filter((each) => each.id === id);
    expect(received).toMatchObject({ from: ACCOUNT, text: 'We are open' });
    await until(async () => (await queued()) === 0, 'the confirmation');
  });

  test('comes again until the device confirms it', async () => {
    await client.stop();
    const id = await write({ to: CONTACT, text: 'while it was away' });
    expect(await queued()).toBeGreaterThan(0);
    client.connect();
    const seen = await until(() => client.texts().find((each) => each.id === id), 'the copy');
    expect(seen.type).toBe('append');
  });

  test('is encrypted again for a device that could not read it', async () => {
    const id = await write({ to: CONTACT, text: 'once more', flaws: { undecryptable: 1 } });
    await until(() => client.messageOf(id), 'the copy');
  });

  test('can be what a device sent, come back under its id', async () => {
    const id = await client.sendText(CONTACT, 'sent');
    expect(await write({ to: CONTACT, text: 'sent', echoOf: id })).toBe(id);
    await until(() => client.texts().find((each) => each.id === id), 'the copy');
    const received = (await stack.received(CONTACT)).filter((each) => each.id === id);
    expect(received).toHaveLength(1);
  });

  test('goes to a group as from any of its members, and its device sees it', async () => {
    const members = [ACCOUNT, CONTACT];
    const { body } = await stack.post<{ jid: string }>('/groups', { subject: 'g', members });
    const refused = await stack.post(`/accounts/${ACCOUNT}/messages`, { group: body.jid, text: 'Hi' });
    expect(refused).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
    const path = `/contacts/${ACCOUNT}/messages`;
    const { id } = (await stack.post<{ id: string }>(path, { group: body.jid, text: 'Hello all' })).body;
    const message = await until(() => client.messageOf(id), 'the copy');
    expect(message.key).toMatchObject({ fromMe: true, remoteJid: body.jid });
  });
});
