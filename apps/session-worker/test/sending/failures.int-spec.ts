import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '@svc/testing';
import { Stage } from '../support.js';

let stage: Stage;
const phone = '15550105000';
let sessionId: string;

beforeAll(async () => {
  stage = await Stage.start({ ACK_TIMEOUT_MS: '1500' });
  sessionId = await stage.link(phone);
});
afterAll(() => stage.stop());
afterEach(() => stage.platform.call('DELETE', `/accounts/${phone}/faults`));

const faults = (change: object): Promise<unknown> =>
  stage.platform.call('PUT', `/accounts/${phone}/faults`, change);
const texts = async (contact: string): Promise<string[]> =>
  (await stage.platform.inbox(contact)).map(({ text }) => text);
/** Makes a contact whose device gives no receipts: only the ack proves that a message arrived. */
async function quiet(contact: string): Promise<string> {
  await stage.platform.call('POST', '/contacts', { phone: contact });
  await stage.platform.call('PUT', `/contacts/${contact}/behaviour`, { delivered: 'never' });
  return contact;
}
const failureOf = (jobId: string): Promise<Record<string, unknown>> => stage.event('message.failed', jobId);

test('a message that the platform refuses fails with its code, and those behind it go out', async () => {
  const contact = '15550205001';
  await faults({ ackError: 463, count: 1 });
  const refused = await stage.send(sessionId, contact, 'refused');
  await stage.send(sessionId, contact, 'taken');
  expect(await failureOf(refused)).toMatchObject({
    failure: { code: 'REJECTED_BY_PLATFORM', message: expect.stringContaining('463'), givenBack: [] },
  });
  await waitFor('the next text', async () => (await texts(contact)).includes('taken'));
  expect(await texts(contact)).toEqual(['taken']);
});

test('a message whose acknowledgement is lost is sent again under its id, which the contact shows once', async () => {
  const contact = await quiet('15550205002');
  await faults({ ack: 'never', count: 1 });
  const jobId = await stage.send(sessionId, contact, 'unheard');
  await stage.event('message.sent', jobId);
  const [shown, ...more] = await stage.platform.inbox(contact);
  expect(shown).toMatchObject({ text: 'unheard' });
  expect(shown?.duplicates).toBeGreaterThan(0);
  expect(more).toEqual([]);
});

test('a message that is never acknowledged fails in bounded time', async () => {
  const contact = '15550205003';
  await faults({ ack: 'lost' });
  const jobId = await stage.send(sessionId, contact, 'into the void');
  expect(await failureOf(jobId)).toMatchObject({ failure: { code: 'NO_ACK', givenBack: [] } });
  expect(await texts(contact)).toEqual([]);
});

test('a receipt proves that a message given up for failed did arrive', async () => {
  const contact = await quiet('15550205004');
  await faults({ ack: 'never' });
  const jobId = await stage.send(sessionId, contact, 'arrived after all');
  await failureOf(jobId);
  await stage.platform.call('PUT', `/contacts/${contact}/behaviour`, { delivered: 'auto' });
  await stage.event('message.delivered', jobId);
  expect(await texts(contact)).toEqual(['arrived after all']);
});

test('a message to a number that is not on the platform fails with that reason', async () => {
  const nobody = '15550205005';
  await stage.platform.call('POST', '/contacts', { phone: nobody, registered: false });
  const jobId = await stage.send(sessionId, nobody, 'is anybody there');
  expect(await failureOf(jobId)).toMatchObject({ failure: { code: 'NOT_ON_PLATFORM', givenBack: ['plan'] } });
  expect(stage.idsOf('message.sent', jobId)).toEqual([]);
});

test('a message waits until the platform tells which devices its recipient has', async () => {
  const stranger = '15550205006';
  await faults({ silent: true });
  const jobId = await stage.send(sessionId, stranger, 'for all devices');
  await waitFor('the question to be lost', async () => {
    const [row] = await stage.worker.database.query<{ status: string }>(
      'SELECT status FROM sessions.outbound_message WHERE job_id = $1',
      [jobId],
    );
    return row?.status === 'SENDING';
  });
  await faults({ silent: false });
  await stage.event('message.sent', jobId);
  expect(await texts(stranger)).toEqual(['for all devices']);
});

test('a message that may be on its way costs its unit when its session is logged out; one behind it does not', async () => {
  const [other, contact] = ['15550105002', '15550205007'];
  const otherSession = await stage.link(other);
  await stage.platform.call('PUT', `/accounts/${other}/faults`, { ack: 'lost' });
  const onItsWay = await stage.send(otherSession, contact, 'handed over');
  await waitFor('it to be handed over', async () => {
    const [row] = await stage.worker.database.query<{ status: string }>(
      'SELECT status FROM sessions.outbound_message WHERE job_id = $1',
      [onItsWay],
    );
    return row?.status === 'SENDING';
  });
  await stage.change(otherSession, 'logout');
  const code = 'SESSION_LOGGED_OUT';
  expect(await failureOf(onItsWay)).toMatchObject({ failure: { code, givenBack: [] } });
  const behind = await stage.send(otherSession, contact, 'never looked at');
  expect(await failureOf(behind)).toMatchObject({ failure: { code, givenBack: ['session', 'plan'] } });
});
