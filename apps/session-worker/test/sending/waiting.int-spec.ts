import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '@svc/testing';
import { DataSource } from 'typeorm';
import { keyIdOf, LONG_MS, Stage } from '../support.js';

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.start({ SEND_EXPIRY_MS: '1000' });
});
afterAll(() => stage.stop());

const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();
const queue = (sessionId: string, to: string, text: string, expiresAt = inMs(LONG_MS)): Promise<string> =>
  stage.send(sessionId, to, text, randomUUID(), new Date(), { expiresAt });
const texts = async (contact: string): Promise<string[]> =>
  (await stage.platform.inbox(contact)).map(({ text }) => text);
const statusOf = async (jobId: string): Promise<string | undefined> => {
  const sql = 'SELECT status FROM outbound_message WHERE job_id = $1';
  return (await stage.worker.get(DataSource).query<{ status: string }[]>(sql, [jobId]))[0]?.status;
};

test('what a send was given is repeated in every event of its message', async () => {
  const sessionId = await stage.link('15550103001');
  const told = { metadata: { orderId: '4711' }, sentBy: 'MEMBER' as const };
  const send = (to: string) => stage.send(sessionId, to, 'with words', randomUUID(), new Date(), told);
  await stage.platform.call('POST', '/contacts', { phone: '15550203001' });
  const jobId = await send('15550203001');
  await waitFor('the text', async () => (await texts('15550203001')).length === 1);
  await stage.platform.call('POST', `/contacts/15550203001/read`, { from: '15550103001' });
  for (const name of ['message.sent', 'message.delivered', 'message.read']) {
    expect(await stage.event(name, jobId)).toMatchObject(told);
  }
  await stage.platform.call('POST', '/contacts', { phone: '15550203002', registered: false });
  expect(await stage.event('message.failed', await send('15550203002'))).toMatchObject(told);
});

test('a message that may wait goes out when its session is back, in order, long after others have expired', async () => {
  const sessionId = await stage.link('15550103002');
  const contact = '15550203003';
  await stage.change(sessionId, 'disconnect');
  await stage.reached(sessionId, 'DISCONNECTED');
  const impatient = await stage.send(sessionId, contact, 'impatient');
  const wanted = ['one', 'two', 'three'];
  for (const text of wanted) await queue(sessionId, contact, text);
  expect(await stage.event('message.failed', impatient)).toMatchObject({ failure: { code: 'EXPIRED' } });
  await stage.change(sessionId, 'connect');
  await waitFor('all texts', async () => (await texts(contact)).length === wanted.length, LONG_MS);
  expect(await texts(contact)).toEqual(wanted);
});

test('a message that may wait fails as expired at its time, and its unit comes back', async () => {
  const sessionId = await stage.link('15550103003');
  await stage.change(sessionId, 'disconnect');
  await stage.reached(sessionId, 'DISCONNECTED');
  const jobId = await queue(sessionId, '15550203004', 'too late', inMs(1_500));
  expect(await stage.event('message.failed', jobId)).toMatchObject({
    failure: { code: 'EXPIRED', givenBack: ['session', 'plan'] },
  });
  const late = await queue(sessionId, '15550203004', 'came too late', inMs(-1));
  expect(await stage.event('message.failed', late)).toMatchObject({ failure: { code: 'EXPIRED' } });
});

test('a message that may wait survives a logout, and one that may not fails with it', async () => {
  const phone = '15550103004';
  const contact = '15550203005';
  const sessionId = await stage.link(phone);
  await stage.change(sessionId, 'disconnect');
  await stage.reached(sessionId, 'DISCONNECTED');
  const before = await queue(sessionId, contact, 'before the logout');
  await waitFor('the row', async () => (await statusOf(before)) === 'QUEUED');
  const impatient = await stage.send(sessionId, contact, 'impatient');
  await waitFor('the row', async () => (await statusOf(impatient)) !== undefined);
  await stage.change(sessionId, 'logout');
  await stage.reached(sessionId, 'LOGGED_OUT');
  await stage.event('message.failed', impatient);
  const after = await queue(sessionId, contact, 'after the logout');
  await waitFor('the row', async () => (await statusOf(after)) === 'QUEUED');
  expect(await statusOf(before)).toBe('QUEUED');
  await stage.change(sessionId, 'connect');
  await stage.scan(sessionId, phone);
  await waitFor('both texts', async () => (await texts(contact)).length === 2, LONG_MS);
  expect(await texts(contact)).toEqual(['before the logout', 'after the logout']);
});

test.each(['edit', 'delete'] as const)(
  'a message that waits to %s one fails where the owner deletes that on the phone meanwhile',
  async (type) => {
    const [phone, contact] =
      type === 'edit' ? ['15550103006', '15550203006'] : ['15550103007', '15550203007'];
    const sessionId = await stage.link(phone);
    const keyId = keyIdOf(await stage.send(sessionId, contact, 'frist'));
    await waitFor('the text', async () => (await texts(contact)).includes('frist'), LONG_MS);
    await stage.change(sessionId, 'disconnect');
    await stage.reached(sessionId, 'DISCONNECTED');
    const target = { keyId, fromMe: true };
    const content = { type, ...(type === 'edit' ? { text: 'first' } : {}), target };
    const options = { expiresAt: inMs(LONG_MS) };
    const change = await stage.send(sessionId, contact, content, randomUUID(), new Date(), options);
    const behind = await queue(sessionId, contact, 'behind it');
    await waitFor('the row', async () => (await statusOf(behind)) === 'QUEUED');
    const revocation = { to: contact, content: { type: 'revoke', targetKeyId: keyId } };
    await stage.platform.call('POST', `/accounts/${phone}/messages`, revocation);
    await stage.change(sessionId, 'connect');
    expect(await stage.event('message.failed', change)).toMatchObject({
      failure: { code: 'VALIDATION_FAILED', givenBack: ['session', 'plan'] },
    });
    await stage.event('message.delivered', behind);
    expect((await stage.platform.inbox(contact)).map(({ id }) => id)).not.toContain(keyIdOf(change));
  },
);

test('a message that may wait fails when its session is deleted', async () => {
  const sessionId = await stage.link('15550103005');
  await stage.change(sessionId, 'disconnect');
  await stage.reached(sessionId, 'DISCONNECTED');
  const jobId = await queue(sessionId, '15550203006', 'nobody sends this');
  await waitFor('the row', async () => (await statusOf(jobId)) === 'QUEUED');
  await stage.change(sessionId, 'delete');
  expect(await stage.event('message.failed', jobId)).toMatchObject({ failure: { code: 'SESSION_DELETED' } });
});
