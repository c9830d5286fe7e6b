import { beforeEach, expect, test } from '@jest/globals';
import { type Erasure, MessageSent, type NewTenant } from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { waitFor } from '@svc/testing';
import { type Answer, gateway, withGateway } from '../support/gateway.js';

withGateway();

const ADA = '15550007711';
const BEN = '15550006611';
const NAME = 'Ada Lovelace of the card';

let owner: NewTenant;
let sessionId: string;
beforeEach(async () => {
  owner = await gateway.createTenant();
  sessionId = gateway.fakes.addSession(owner.tenantId).id;
  gateway.fakes.tenants.unhashed.length = 0;
});

const call = (route: string, body?: object): Promise<Answer> => gateway.call(owner.apiKey, route, body);
const send = async (to: string, more: object): Promise<string> =>
  String((await call('POST /v1/messages', { sessionId, to: `+${to}`, ...more })).body['jobId']);
const sendCard = (more: object = {}): Promise<string> =>
  send(BEN, { contact: { displayName: NAME, phone: `+${ADA}` }, ...more });
const read = async (jobId: string) => (await call(`GET /v1/messages/${jobId}`)).body;

/** The message has gone out. */
async function goesOut(jobId: string): Promise<void> {
  const data = {
    ...{ sessionId, jobId, messageId: jobId, keyId: `3EB0${jobId}`, clientMessageId: null },
    ...{ to: `${BEN}@s.whatsapp.net`, timestamp: new Date().toISOString() },
  };
  await gateway.fakes.messaging.publishEvent(envelopeOf(MessageSent, { tenantId: owner.tenantId }, data));
  await waitFor('SENT', async () => (await read(jobId))['status'] === 'SENT');
}

async function erase(): Promise<Erasure> {
  const { status, body } = await call(`DELETE /v1/contacts/${ADA}`);
  expect(status).toBe(202);
  return waitFor('the erasure', async () => {
    const receipt = (await call(`GET /v1/erasures/${String(body['id'])}`)).body as unknown as Erasure;
    return receipt.status === 'DONE' && receipt;
  });
}

/** Columns of the schema in which one of these stands, as `table.column`. */
async function columnsWith(...words: string[]): Promise<string[]> {
  const { query } = gateway.service.database;
  const columns = await query<{ table: string; column: string }>(
    `SELECT table_name AS table, column_name AS column FROM information_schema.columns
     WHERE table_schema = 'gateway' ORDER BY table_name, column_name`,
  );
  const found: string[] = [];
  for (const { table, column } of columns) {
    const sql = `SELECT FROM gateway."${table}" WHERE "${column}"::text LIKE ANY($1) LIMIT 1`;
    const patterns = words.map((word) => `%${word}%`);
    if ((await query(sql, [patterns])).length > 0) found.push(`${table}.${column}`);
  }
  return found;
}

test('after an erasure no column has number, name or words, wherever they came in', async () => {
  const metadata = { note: 'words about Ada' };
  await send(ADA, { text: 'words to Ada', clientMessageId: 'ada-words', metadata });
  await send(ADA, { text: 'words of later', sendAt: new Date(Date.now() + 3_600_000).toISOString() });
  await goesOut(await sendCard());
  const before = await columnsWith(ADA, NAME, 'words');
  expect(before).toEqual(expect.arrayContaining(['message.body', 'message.contact', 'message.content']));
  const { erased } = await erase();
  expect(erased).toMatchObject({ messages: 2, quotes: 1 });
  expect(await columnsWith(ADA, NAME, 'words')).toEqual([]);
  expect(gateway.fakes.tenants.unhashed).toEqual([`${ADA}@s.whatsapp.net`]);
});

test('a card of the contact in a message to somebody else is emptied, and the message stays', async () => {
  const jobId = await sendCard();
  await goesOut(jobId);
  expect(await read(jobId)).toMatchObject({ body: { type: 'contact', displayName: NAME } });
  await erase();
  expect((await read(jobId))['body']).toEqual({ type: 'contact', count: 1 });
});

test('a card of the contact that has not gone out is canceled', async () => {
  const [soon, later] = [
    await sendCard(),
    await sendCard({ sendAt: new Date(Date.now() + 3_600_000).toISOString() }),
  ];
  const other = await send(BEN, { contact: { displayName: 'Ben', phone: '+15550006612' } });
  await erase();
  for (const jobId of [soon, later])
    expect(await read(jobId)).toMatchObject({ status: 'FAILED', failure: { code: 'CANCELED' } });
  expect(await read(other)).toMatchObject({ status: 'QUEUED', body: { displayName: 'Ben' } });
  expect(await columnsWith(ADA, NAME)).toEqual([]);
});
