import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type PhoneClient, until } from '../support/phone-client.js';
import { Stack } from '../support/stack.js';

const ACCOUNT = '4915550013000';

describe('faults of messages', () => {
  let stack: Stack;
  let client: PhoneClient;
  let lastContact = 4915550013100;
  const newContact = (): string => String(++lastContact);

  beforeAll(async () => {
    stack = await Stack.start();
    client = await stack.linked(ACCOUNT);
  });
  afterEach(() => stack.call('DELETE', `/accounts/${ACCOUNT}/faults`));
  afterAll(() => stack.close());

  const faults = (body: object) => stack.put(`/accounts/${ACCOUNT}/faults`, body);
  const write = async (contact: string, text: string, flaws?: object): Promise<string> => {
    const body = { to: ACCOUNT, text, flaws };
    return (await stack.post<{ id: string }>(`/contacts/${contact}/messages`, body)).body.id;
  };
  const arrived = (id: string) => until(() => client.messageOf(id), `${id} to arrive`);
  const timesRead = (id: string): number => client.texts().filter((each) => each.id === id).length;
  const stubsOf = (id: string): number =>
    client.upserts.flatMap(({ messages }) => messages).filter(({ key, message }) => key.id === id && !message)
      .length;

  test('an undecryptable message is asked for again until it can be read', async () => {
    const id = await write(newContact(), 'third time lucky', { undecryptable: 2 });
    await arrived(id);
    expect(stubsOf(id)).toBeGreaterThanOrEqual(1);
    expect(await stack.becomes(lastContact.toString(), id, 'DELIVERED')).toMatchObject({ deliveries: 3 });
    expect(timesRead(id)).toBe(1);
  });

  test('a message that is never readable is given up after five resends', async () => {
    const contact = newContact();
    const id = await write(contact, 'never', { undecryptable: 1_000 });
    const sent = await until(async () => {
      const now = await stack.sentBy(contact, id);
      return now.deliveries >= 5 && now;
    }, 'the resends');
    expect(sent.status).toBe('SENT');
    const next = await write(contact, 'readable again');
    await arrived(next);
    expect(timesRead(id)).toBe(0);
  });

  test('two copies of a message are read once', async () => {
    const contact = newContact();
    const id = await write(contact, 'twins', { copies: 2 });
    const witness = await write(contact, 'after them');
    await arrived(witness);
    expect(timesRead(id)).toBe(1);
    expect(await stack.becomes(contact, id, 'DELIVERED')).toMatchObject({ deliveries: 2, receipts: 1 });
  });

  test('the account as a whole may get what is broken, as often as asked for', async () => {
    const contact = newContact();
    await faults({ inbound: 'undecryptable', inboundCount: 1 });
    const broken = await write(contact, 'broken at first');
    const whole = await write(contact, 'whole');
    await arrived(broken);
    await arrived(whole);
    expect(await stack.becomes(contact, broken, 'DELIVERED')).toMatchObject({ deliveries: 2 });
    expect(await stack.becomes(contact, whole, 'DELIVERED')).toMatchObject({ deliveries: 1 });
    const left = (await stack.get(`/accounts/${ACCOUNT}/faults`)).body;
    expect(left).toMatchObject({ inbound: 'auto', inboundCount: null });
  });

  test('the account as a whole may get everything twice', async () => {
    const contact = newContact();
    await faults({ inbound: 'twice' });
    const ids = [await write(contact, 'one'), await write(contact, 'two')];
    for (const id of ids) {
      await arrived(id);
      expect(await stack.becomes(contact, id, 'DELIVERED')).toMatchObject({ deliveries: 2 });
    }
    expect(ids.map(timesRead)).toEqual([1, 1]);
  });

  test('a contact that cannot read asks for a resend, which the client encrypts anew', async () => {
    const contact = newContact();
    await stack.put(`/contacts/${contact}/behaviour`, { unreadable: 1 });
    const id = await client.sendText(contact, 'once more');
    expect(await stack.receivedBy(contact)).toMatchObject([{ id, text: 'once more', duplicates: 0 }]);
    const retries = client.frames.filter(({ attrs }) => attrs.id === id && attrs.type === 'retry');
    expect(retries).toHaveLength(1);
    const next = await client.sendText(contact, 'read at once');
    expect((await stack.receivedBy(contact, 2)).map((each) => each.id)).toEqual([id, next]);
  });

  test('a contact that cannot read never gets what the client does not know any more', async () => {
    const contact = newContact();
    await stack.put(`/contacts/${contact}/behaviour`, { unreadable: 1 });
    await client.stop();
    client.connect({ enableRecentMessageCache: false, getMessage: async () => undefined });
    await client.opened();
    const lost = await client.sendText(contact, 'forgotten');
    await until(
      () => client.frames.some(({ attrs }) => attrs.id === lost && attrs.type === 'retry'),
      'the request',
    );
    const next = await client.sendText(contact, 'known');
    expect((await stack.receivedBy(contact)).map((each) => each.id)).toEqual([next]);
    await client.stop();
    client.connect();
    await client.opened();
  });

  test('used-up keys are filled up by the client when it is reminded', async () => {
    const preKeys = async () =>
      (await stack.get<{ left: number[] }>(`/accounts/${ACCOUNT}/pre-keys`)).body.left;
    const answer = await stack.put(`/accounts/${ACCOUNT}/pre-keys`, { left: 2 });
    expect(answer.body).toEqual({ left: [2] });
    await until(async () => ((await preKeys())[0] ?? 0) > 2, 'more keys');
    await arrived(await write(newContact(), 'with a fresh key'));
  });

  test('a client whose keys are all gone can be written to, and uploads some at its next login', async () => {
    await client.stop();
    await stack.put(`/accounts/${ACCOUNT}/pre-keys`, { left: 0 });
    const id = await write(newContact(), 'without a key');
    client.connect();
    await arrived(id);
    const { left } = (await stack.get<{ left: number[] }>(`/accounts/${ACCOUNT}/pre-keys`)).body;
    expect(left[0]).toBeGreaterThan(0);
  });
});
