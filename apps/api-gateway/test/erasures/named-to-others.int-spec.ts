import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from '@jest/globals';
import { type Erasure, MessageReceived, MessageSent, type NewTenant } from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { waitFor } from '@svc/testing';
import { type Answer, gateway, withGateway } from '../support/gateway.js';

withGateway();

const ADA = '15550007711';
const BEN = '15550006611';
const GROUP = '120363000000000001@g.us';
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

/** Contents for the worker of what was sent to somebody, oldest first. */
async function contentsTo(contact: string): Promise<unknown[]> {
  const sql = 'SELECT content FROM gateway.message WHERE tenant_id = $1 AND contact = $2 ORDER BY id';
  const rows = await gateway.service.database.query<{ content: unknown }>(sql, [owner.tenantId, contact]);
  return rows.map(({ content }) => content);
}

/** The contact writes in a group; resolves to the id of the message when it is there. */
async function writesInGroup(): Promise<string> {
  const [messageId, timestamp] = [randomUUID(), new Date().toISOString()];
  const place = { sessionId, messageId, remoteJid: `${ADA}@s.whatsapp.net`, chatId: GROUP, isGroup: true };
  const who = { keyId: '3A', phone: null, pushName: 'Ada', fromMe: false };
  const data = { ...place, ...who, body: { type: 'text' as const, text: 'secret' }, timestamp };
  const envelope = envelopeOf(MessageReceived, { tenantId: owner.tenantId }, data);
  await gateway.fakes.messaging.publishEvent(envelope);
  await waitFor('the message', async () => (await call(`GET /v1/messages/${messageId}`)).status === 200);
  return messageId;
}

test('limits are asked to forget the contact, too', async () => {
  await send(ADA, { text: 'hello' });
  await erase();
  expect(gateway.fakes.tenants.unhashed).toEqual([`${ADA}@s.whatsapp.net`]);
});

test('what was sent to a group does not name the contact any more: no mention, no answer, no reaction', async () => {
  const messageId = await writesInGroup();
  for (const content of [
    { text: 'Who?', mentions: [`+${ADA}`, `+${BEN}`] },
    { text: 'We are', replyTo: messageId },
    { reaction: { messageId, emoji: '👍' } },
  ])
    expect((await call('POST /v1/messages', { sessionId, to: GROUP, ...content })).status).toBe(200);
  expect(JSON.stringify(await contentsTo(GROUP)).split(ADA)).toHaveLength(4);
  await erase();
  expect(await contentsTo(GROUP)).toEqual([
    { type: 'text', text: 'Who?', mentions: [`${BEN}@s.whatsapp.net`] },
    { type: 'text', text: 'We are' },
    { type: 'reaction', emoji: '👍', target: { keyId: '3A', fromMe: false } },
  ]);
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
  expect(JSON.stringify(await contentsTo(`${BEN}@s.whatsapp.net`))).not.toContain(NAME);
});

test('what another one wrote in a group before the erasure, and that arrives after it, does not bring the contact back', async () => {
  await writesInGroup();
  await erase();
  const arrives = async (timestamp: string): Promise<Record<string, unknown>> => {
    const messageId = randomUUID();
    const place = { sessionId, messageId, remoteJid: `${BEN}@s.whatsapp.net`, chatId: GROUP, isGroup: true };
    const who = { keyId: `3B${messageId}`, phone: `+${BEN}`, pushName: 'Ben', fromMe: false };
    const quoted = {
      ...{ keyId: '3A', remoteJid: `${ADA}@s.whatsapp.net` },
      body: { type: 'text' as const, text: 'secret' },
    };
    const mentions = [ADA, BEN].map((phone) => `${phone}@s.whatsapp.net`);
    const body = { type: 'text' as const, text: 'She said so' };
    const data = { ...place, ...who, body, quoted, mentions, timestamp };
    await gateway.fakes.messaging.publishEvent(
      envelopeOf(MessageReceived, { tenantId: owner.tenantId }, data),
    );
    return waitFor('the message', async () => {
      const { status, body: message } = await call(`GET /v1/messages/${messageId}`);
      return status === 200 && message;
    });
  };
  expect(await arrives(new Date(Date.now() - 60_000).toISOString())).toMatchObject({
    body: { text: 'She said so' },
    origin: { quoted: null, mentions: [`${BEN}@s.whatsapp.net`] },
  });
  // A message that is written afterwards is new.
  expect(await arrives(new Date(Date.now() + 1_000).toISOString())).toMatchObject({
    origin: { quoted: { body: { text: 'secret' } }, mentions: [`${ADA}@s.whatsapp.net`, expect.anything()] },
  });
});
