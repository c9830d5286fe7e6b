import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type PhoneClient, until } from '../support/phone-client.js';
import { Stack } from '../support/stack.js';

const ACCOUNT = '4915550018000';
const ERROR = 0;
const DELIVERED = 3;
/** End of a restriction in whole seconds, as the platform counts. */
const UNTIL = '2100-01-01T00:00:00.000Z';

describe('an account that may not begin new chats', () => {
  let stack: Stack;
  let client: PhoneClient;
  let lastContact = 4915550018100;
  const newContact = (): string => String(++lastContact);
  const path = `/accounts/${ACCOUNT}/restrictions`;
  const restrict = (body: object) => stack.put(path, body);
  const refused = async (id: string): Promise<unknown> => {
    await until(() => client.statusOf(id) === ERROR, 'the refusal');
    return client.updates.find(({ key }) => key.id === id)?.update.messageStubParameters;
  };
  const delivered = (id: string) => until(() => client.statusOf(id) === DELIVERED, 'the receipt');
  const waitForNotice = (isActive: boolean) =>
    until(() => client.state.reachoutTimeLock?.isActive === isActive && client.state.reachoutTimeLock, 'it');

  beforeAll(async () => {
    stack = await Stack.start();
    client = await stack.linked(ACCOUNT);
  });
  afterEach(() => stack.call('DELETE', path));
  afterAll(() => stack.close());

  test('is told so, answers a question, and is told when it is over', async () => {
    await restrict({ timelock: { until: UNTIL } });
    const expected = { isActive: true, enforcementType: 'BIZ_QUALITY', timeEnforcementEnds: new Date(UNTIL) };
    expect(await waitForNotice(true)).toEqual(expected);
    expect(await client.socket.fetchAccountReachoutTimelock()).toEqual(expected);
    await stack.call('DELETE', path);
    await waitForNotice(false);
    expect(await client.socket.fetchAccountReachoutTimelock()).toMatchObject({ isActive: false });
  });

  test('is refused with 463 where there is no chat, and nothing arrives', async () => {
    const [stranger, friend, fan] = [newContact(), newContact(), newContact()];
    await delivered(await client.sendText(friend, 'before'));
    await stack.write(fan, ACCOUNT, 'hello');
    await until(() => client.texts().some(({ text }) => text === 'hello'), 'the message');
    await restrict({ timelock: {} });
    expect(await refused(await client.sendText(stranger, 'cold'))).toContain('463');
    await delivered(await client.sendText(friend, 'again'));
    await delivered(await client.sendText(fan, 'an answer'));
    expect(await stack.received(stranger)).toEqual([]);
    await stack.call('DELETE', path);
    await delivered(await client.sendText(stranger, 'no longer cold'));
  });

  test('is free when the time is over', async () => {
    await restrict({ timelock: { until: '2020-01-01T00:00:00.000Z' } });
    expect((await stack.get(path)).body).toEqual({ timelock: null, newChats: null });
    await delivered(await client.sendText(newContact(), 'free'));
  });

  test('has a quota that each new chat uses, and no other message', async () => {
    const cycle = { cycleEnd: UNTIL };
    await restrict({ newChats: { quota: 2, used: 1, ...cycle } });
    const last = newContact();
    await delivered(await client.sendText(last, 'the last one'));
    expect((await stack.get(path)).body).toMatchObject({ newChats: { quota: 2, used: 2, ...cycle } });
    await delivered(await client.sendText(last, 'once more'));
    expect(await refused(await client.sendText(newContact(), 'one too many'))).toContain('463');
    expect(await client.socket.fetchNewChatMessageCap()).toMatchObject({
      ...{ total_quota: 2, used_quota: 2, capping_status: 'CAPPED' },
      cycle_end_timestamp: String(Date.parse(UNTIL) / 1000),
    });
  });

  test('begins a cycle anew with its quota', async () => {
    await restrict({ newChats: { quota: 1, used: 1, cycleEnd: '2020-01-01T00:00:00.000Z' } });
    await delivered(await client.sendText(newContact(), 'the first one'));
    expect((await stack.get(path)).body).toMatchObject({ newChats: { used: 1, cycleEnd: null } });
  });

  test('is refused wrong words', async () => {
    expect(await restrict({ timelock: { until: 'tomorrow' } })).toMatchObject({ status: 400 });
    expect(await restrict({ newChats: { used: 1 } })).toMatchObject({ status: 400 });
    expect(await stack.put('/accounts/4915550018999/restrictions', {})).toMatchObject({ status: 404 });
  });
});
