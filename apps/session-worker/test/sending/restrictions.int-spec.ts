import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { SessionRestriction } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { DEFAULT_RESTRICTION_MS } from '../../src/sessions/restrictions.js';
import { LONG_MS, Stage } from '../support.js';

const UNTIL = '2100-01-01T00:00:00.000Z';
const phone = '15550118000';
let stage: Stage;
let sessionId: string;
let lastContact = 15550218000;
const newContact = (): string => String(++lastContact);

beforeAll(async () => {
  stage = await Stage.start();
  sessionId = await stage.link(phone);
});
afterAll(() => stage.stop());
afterEach(async () => {
  await stage.platform.call('DELETE', `/accounts/${phone}/faults`);
  await stage.platform.call('DELETE', `/accounts/${phone}/restrictions`);
  await shown(null);
});

const restrict = (body: object): Promise<unknown> =>
  stage.platform.call('PUT', `/accounts/${phone}/restrictions`, body);
const faults = (change: object): Promise<unknown> =>
  stage.platform.call('PUT', `/accounts/${phone}/faults`, change);
const texts = async (contact: string): Promise<string[]> =>
  (await stage.platform.inbox(contact)).map(({ text }) => text);
const send = (to: string, text: string): Promise<string> => stage.send(sessionId, to, text);
const sent = (jobId: string) => stage.event('message.sent', jobId);
const failure = async (jobId: string): Promise<unknown> =>
  (await stage.event('message.failed', jobId))['failure'];
/** Waits until the session shows this restriction, or (null) none. */
async function shown(reason: SessionRestriction['reason'] | null): Promise<SessionRestriction | null> {
  const asked = async () => {
    const { restriction = null } = await stage.get(sessionId);
    return (restriction?.reason ?? null) === reason && { restriction };
  };
  return (await waitFor(`restriction ${reason}`, asked, LONG_MS)).restriction;
}
const BOTH = ['session', 'plan'];

test('a restricted session shows it, writes to nobody new and goes on with its chats', async () => {
  const [friend, fan] = [newContact(), newContact()];
  await sent(await send(friend, 'before'));
  await stage.platform.call('POST', `/contacts/${fan}/messages`, { to: phone, text: 'hello' });
  await waitFor('message.received', () => stage.eventsOf('message.received', sessionId).length > 0, LONG_MS);
  const group = await stage.platform.call<{ jid: string }>('POST', '/groups', {
    subject: 'Restricted',
    members: [phone, newContact()],
  });

  await restrict({ timelock: { until: UNTIL } });
  expect(await shown('ACCOUNT_RESTRICTED')).toEqual({ reason: 'ACCOUNT_RESTRICTED', until: UNTIL });
  const stranger = newContact();
  const cold = await send(stranger, 'cold');
  const warm = await Promise.all([send(friend, 'again'), send(fan, 'an answer'), send(group.jid, 'all')]);
  expect(await failure(cold)).toMatchObject({ code: 'ACCOUNT_RESTRICTED', givenBack: BOTH });
  await Promise.all(warm.map(sent));
  expect(await texts(stranger)).toEqual([]);

  await restrict({ timelock: null });
  await shown(null);
  await sent(await send(stranger, 'no longer cold'));
});

test('a session that has used up its new chats begins no more until the next cycle', async () => {
  await restrict({ newChats: { quota: 1, cycleEnd: UNTIL } });
  const last = newContact();
  await sent(await send(last, 'the last one'));
  expect(await shown('NEW_CHAT_QUOTA')).toEqual({ reason: 'NEW_CHAT_QUOTA', until: UNTIL });
  expect(await failure(await send(newContact(), 'one too many'))).toMatchObject({
    ...{ code: 'NEW_CHAT_QUOTA', givenBack: BOTH },
  });
  await sent(await send(last, 'once more'));
});

test('a restriction outlasts the runner of its session, also while the platform tells nothing of it', async () => {
  await restrict({ timelock: { until: UNTIL } });
  await shown('ACCOUNT_RESTRICTED');
  await faults({ unanswered: ['w:mex'] });
  await stage.change(sessionId, 'disconnect');
  await stage.reached(sessionId, 'DISCONNECTED');
  await stage.change(sessionId, 'connect');
  await stage.reached(sessionId, 'CONNECTED');
  expect(await failure(await send(newContact(), 'cold'))).toMatchObject({ code: 'ACCOUNT_RESTRICTED' });
});

test('what has changed while a session was away it learns when it is back', async () => {
  await stage.change(sessionId, 'disconnect');
  await stage.reached(sessionId, 'DISCONNECTED');
  await restrict({ timelock: { until: UNTIL } });
  await stage.change(sessionId, 'connect');
  await shown('ACCOUNT_RESTRICTED');
});

test('a refusal that the platform does not explain counts as a restriction for a day; it is not tried again', async () => {
  await faults({ ackError: 463, count: 1, unanswered: ['w:mex'] });
  const [first, second] = [newContact(), newContact()];
  const refused = await send(first, 'refused');
  expect(await failure(refused)).toMatchObject({ code: 'REJECTED_BY_PLATFORM', givenBack: [] });
  expect(await failure(await send(second, 'behind it'))).toMatchObject({
    ...{ code: 'ACCOUNT_RESTRICTED', givenBack: BOTH },
  });
  const { until = '' } = (await shown('ACCOUNT_RESTRICTED')) ?? {};
  expect(Date.parse(until)).toBeLessThanOrEqual(Date.now() + DEFAULT_RESTRICTION_MS);
  expect([...(await texts(first)), ...(await texts(second))]).toEqual([]);
});

test('what was accepted while the restriction was to be seen is left to the platform', async () => {
  await restrict({ timelock: { until: UNTIL } });
  await shown('ACCOUNT_RESTRICTED');
  const inTwoMinutes = new Date(Date.now() + 120_000);
  const jobId = await stage.send(sessionId, newContact(), 'old friends', undefined, inTwoMinutes);
  expect(await failure(jobId)).toMatchObject({ code: 'REJECTED_BY_PLATFORM', givenBack: [] });
});

test('a restriction is that of the number, and goes with it', async () => {
  const other = '15550118001';
  const otherSession = await stage.link(other);
  await stage.platform.call('PUT', `/accounts/${other}/restrictions`, { timelock: {} });
  await waitFor('the restriction', async () => (await stage.get(otherSession)).restriction, LONG_MS);
  await stage.change(otherSession, 'logout');
  expect(await stage.reached(otherSession, 'LOGGED_OUT')).toMatchObject({ restriction: null });
});
