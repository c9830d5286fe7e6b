import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { DataSource } from 'typeorm';
import { Stage } from '../support.js';

let stage: Stage;

beforeAll(async () => {
  // The lease outlives what a test holds up.
  stage = await Stage.start({ STALL_TIMEOUT_MS: '6000', LEASE_MS: '120000' });
});
afterAll(() => stage.stop());

test('a session that takes messages in and lets none out is connected anew, and nothing is lost', async () => {
  const phone = '15550110001';
  const contact = '15550210001';
  const sessionId = await stage.link(phone);
  await stage.platform.call('POST', '/contacts', { phone: contact });
  const lock = stage.worker.get(DataSource).createQueryRunner();
  await lock.startTransaction();
  try {
    await lock.query('LOCK TABLE signal_key IN ACCESS EXCLUSIVE MODE');
    const text = { to: phone, text: 'Are you there?' };
    await stage.platform.call('POST', `/contacts/${contact}/messages`, text);
    expect(await stage.firstLoss(sessionId)).toBe('PROCESSING_STALLED');
  } finally {
    await lock.commitTransaction();
    await lock.release();
  }
  expect(await stage.recovered(sessionId, phone)).toEqual(['Are you there?']);
});

test('a session whose questions stay unanswered, though its pings are not, is connected anew', async () => {
  const phone = '15550110002';
  const contact = '15550210002';
  const sessionId = await stage.link(phone);
  await stage.platform.call('PUT', `/accounts/${phone}/faults`, { unanswered: ['*'] });
  const jobId = await stage.send(sessionId, contact, 'I am');
  expect(await stage.firstLoss(sessionId)).toBe('PROCESSING_STALLED');
  await stage.platform.call('DELETE', `/accounts/${phone}/faults`);
  await stage.event('message.sent', jobId);
  expect(await stage.platform.inbox(contact)).toMatchObject([{ text: 'I am', duplicates: 0 }]);
});
