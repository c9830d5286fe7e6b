import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Stage } from '../support.js';

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.start({ KEEP_ALIVE_MS: '1000', ACK_TIMEOUT_MS: '1500' });
});
afterAll(() => stage.stop());

const faults = (phone: string, change: object): Promise<unknown> =>
  stage.platform.call('PUT', `/accounts/${phone}/faults`, change);
const frame = (phone: string, kind: string): Promise<unknown> =>
  stage.platform.call('POST', `/accounts/${phone}/frames`, { kind });

test.each<[string, string, (phone: string) => Promise<unknown>, string]>([
  ['hears nothing any more', '15550109001', (phone) => faults(phone, { silent: true }), 'KEEP_ALIVE_TIMEOUT'],
  // The library sees this one, too, but reports it 37 s after the loss.
  ['is in a black hole', '15550109002', (phone) => faults(phone, { blackHole: true }), 'KEEP_ALIVE_TIMEOUT'],
  ['cannot decrypt a frame', '15550109003', (phone) => frame(phone, 'undecryptable'), 'STREAM_UNREADABLE'],
  ['cannot decode a stanza', '15550109004', (phone) => frame(phone, 'undecodable'), 'STREAM_UNREADABLE'],
])('a session that %s is connected anew, and nothing is lost', async (_what, phone, goDeaf, reason) => {
  const sessionId = await stage.link(phone);
  const contact = phone.replace('15550', '15551');
  await stage.platform.call('POST', '/contacts', { phone: contact });
  await goDeaf(phone);
  const text = { to: phone, text: 'Are you there?' };
  await stage.platform.call('POST', `/contacts/${contact}/messages`, text);
  const jobId = await stage.send(sessionId, contact, 'I am');
  expect(await stage.firstLoss(sessionId, 30_000)).toBe(reason);
  await stage.platform.call('DELETE', `/accounts/${phone}/faults`);
  expect(await stage.recovered(sessionId, phone)).toEqual(['Are you there?']);
  await stage.event('message.sent', jobId);
  expect(await stage.platform.inbox(contact)).toMatchObject([{ text: 'I am' }]);
});

test('a session of which one send stays unanswered is DEGRADED, goes on sending, and is CONNECTED again', async () => {
  const phone = '15550109006';
  const contact = '15551109006';
  const sessionId = await stage.link(phone);
  await faults(phone, { ack: 'lost', count: 1 });
  const first = await stage.send(sessionId, contact, 'One');
  expect(await stage.reached(sessionId, 'DEGRADED')).toMatchObject({ statusReason: 'UNANSWERED' });
  await stage.event('message.sent', first);
  const second = await stage.send(sessionId, contact, 'Two');
  await stage.event('message.sent', second);
  expect(await stage.reached(sessionId, 'CONNECTED')).toMatchObject({ statusReason: 'LOGGED_IN' });
  expect(stage.eventsOf('session.disconnected', sessionId)).toEqual([]);
});

test('a session whose sends stay unanswered, though its pings are not, is connected anew', async () => {
  const phone = '15550109005';
  const contact = '15551109005';
  const sessionId = await stage.link(phone);
  await faults(phone, { ack: 'lost', count: 2 });
  const jobId = await stage.send(sessionId, contact, 'I am');
  expect(await stage.firstLoss(sessionId)).toBe('UNANSWERED');
  await stage.event('message.sent', jobId);
  expect(await stage.platform.inbox(contact)).toMatchObject([{ text: 'I am', duplicates: 0 }]);
});
