import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
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

describe('a message whose events the database refuses for a reason that nobody foresaw', () => {
  beforeAll(async () => {
    await stage.worker.database.query(`
      CREATE FUNCTION sessions.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION 'nobody foresaw this' USING ERRCODE = '22000'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON sessions.event_outbox FOR EACH ROW
        WHEN (strpos(NEW.envelope #>> '{data,metadata,refused}', NEW.envelope ->> 'type') > 0) EXECUTE FUNCTION sessions.refuse()`);
  });

  const sendRefused = (contact: string, refused: string): Promise<string> =>
    stage.send(sessionId, contact, 'poison', undefined, undefined, { metadata: { refused } });
  const status = async (jobId: string): Promise<string | undefined> => {
    const sql = 'SELECT status FROM sessions.outbound_message WHERE job_id = $1';
    return (await stage.worker.database.query<{ status: string }>(sql, [jobId]))[0]?.status;
  };

  test('goes out once, costs its unit and is told as failed', async () => {
    const contact = await quiet('15550205010');
    const jobId = await sendRefused(contact, 'message.sent');
    expect(await failureOf(jobId)).toMatchObject({ failure: { code: 'SEND_ERROR', givenBack: [] } });
    await stage.event('message.sent', await stage.send(sessionId, contact, 'behind it'));
    expect(await stage.platform.inbox(contact)).toMatchObject([
      { text: 'poison', duplicates: 0 },
      { text: 'behind it' },
    ]);
  });

  test('goes out once and ends also where its failure is refused', async () => {
    const contact = await quiet('15550205011');
    const jobId = await sendRefused(contact, 'message.sent message.failed');
    await waitFor('its end', async () => (await status(jobId)) === 'FAILED');
    await stage.event('message.sent', await stage.send(sessionId, contact, 'behind it'));
    expect(await stage.platform.inbox(contact)).toMatchObject([
      { text: 'poison', duplicates: 0 },
      { text: 'behind it' },
    ]);
    expect(stage.idsOf('message.failed', jobId)).toEqual([]);
  });
});
