import { hash, randomBytes, randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  EraseInSessions,
  type ErasedInSessions,
  type MessagePlace,
  type MessageReceivedV1,
} from '@svc/contracts';
import { readEveryEvent, waitFor } from '@svc/testing';
import { DataSource } from 'typeorm';
import { messageIdOf } from '../../src/journal/message-id.js';
import { keyIdOf, LONG_MS, type Stage } from '../support.js';
import { WorkerProcess } from '../worker-process.js';

let stage: Stage;
let worker: WorkerProcess;
let sessionId: string;
const phone = '15550103500';

beforeAll(async () => {
  ({ stage, worker } = await WorkerProcess.stage());
  await readEveryEvent(stage.messaging);
  sessionId = await stage.link(phone);
});
afterAll(() => stage.stop());

const address = (contact: string): string => `${contact}@s.whatsapp.net`;

function erase(
  contact: string,
  more: { erasureId?: string; before?: string; until?: string; messages?: MessagePlace[] } = {},
): Promise<ErasedInSessions> {
  const { erasureId = randomUUID(), before = new Date().toISOString(), ...fields } = more;
  const { tenantId } = stage;
  return stage.worker.rpc.request(
    EraseInSessions,
    { erasureId, tenantId, contact: address(contact), before, ...fields },
    LONG_MS,
  );
}

/** Writes a message as a contact and waits for its event. */
async function writes(contact: string, message: object): Promise<MessageReceivedV1> {
  const body = { to: phone, ...message };
  const { id } = await stage.platform.call<{ id: string }>('POST', `/contacts/${contact}/messages`, body);
  const find = () => stage.eventsOf('message.received', sessionId).find(({ keyId }) => keyId === id);
  return (await waitFor('message.received', find, LONG_MS)) as unknown as MessageReceivedV1;
}

/** Lists all files of the store. */
async function files(): Promise<string[]> {
  const folders = await readdir(worker.mediaDir, { withFileTypes: true });
  const names = await Promise.all(folders.map(({ name }) => readdir(join(worker.mediaDir, name))));
  return names.flat();
}

/** Reads the address in the journal behind which the platform hides the author of a message. */
async function senderOf({ keyId }: MessageReceivedV1): Promise<string> {
  const [row] = await stage.worker.database.query<{ sender: string }>(
    'SELECT sender FROM sessions.inbound_message WHERE key_id = $1',
    [keyId],
  );
  return row?.sender ?? '';
}

/** Counts the messages of the journal in which a number is. */
async function wordsOfCards(phone: string): Promise<number> {
  const [row] = await stage.worker.database.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM sessions.inbound_message WHERE position(convert_to($1, 'UTF8') IN plaintext) > 0`,
    [phone],
  );
  return row?.count ?? 0;
}

/** Lists the tables with texts of, or to, a person under any of these names. */
async function traces(...names: string[]): Promise<string[]> {
  const found: string[] = [];
  for (const table of [
    'inbound_message',
    'inbound_media',
    'outbound_message',
    'event_outbox',
    'erased_contact',
  ]) {
    const rows = await stage.worker.database.query(
      `SELECT 1 FROM sessions.${table} t, unnest($1::text[]) AS name WHERE strpos(t::text, name) > 0`,
      [names],
    );
    if (rows.length > 0) found.push(table);
  }
  return found;
}

test('a contact who is erased is gone from journal, ledger and media store, and others are not', async () => {
  const [ada, ben] = ['15550203501', '15550203502'];
  const hidden = await senderOf(await writes(ada, { text: 'secret' }));
  expect(hidden).toMatch(/@lid$/);
  const { media } = await writes(ada, { content: { type: 'image', media: { size: 1_000 } } });
  const other = await senderOf(await writes(ben, { text: 'stays' }));
  await stage.event('message.delivered', await stage.send(sessionId, ada, 'secret'));
  await stage.event('message.delivered', await stage.send(sessionId, ben, 'stays'));
  await waitFor(
    'the outbox to be empty',
    async () => !(await traces(ada, hidden, ben, other)).includes('event_outbox'),
  );
  expect(await traces(ada, hidden)).toEqual(['inbound_message', 'inbound_media', 'outbound_message']);
  expect(media?.status).toBe('STORED');
  expect(await files()).toHaveLength(1);
  const erasureId = randomUUID();
  const receipt = await erase(ada, { erasureId });
  expect(receipt).toMatchObject({ sends: 1, files: 1, events: 0 });
  expect(receipt.journal).toBeGreaterThanOrEqual(2);
  expect(await traces(ada, hidden)).toEqual([]);
  expect(await files()).toEqual([]);
  expect(await traces(ben, other)).toEqual(['inbound_message', 'outbound_message']);
  // A second request counts nothing twice.
  expect(await erase(ada, { erasureId, until: new Date().toISOString() })).toEqual(receipt);
});

test('the journal forgets that the owner wrote to the contact on the phone, and not whom else they wrote to', async () => {
  const [ada, ben] = ['15550203521', '15550203522'];
  const writtenTo = async (contact: string): Promise<number> => {
    const rows = await worker.database.query(
      'SELECT FROM sessions.inbound_message WHERE session_id = $1 AND by_hand_to = $2',
      [sessionId, address(contact)],
    );
    return rows.length;
  };
  for (const to of [ada, ben])
    await stage.platform.call('POST', `/accounts/${phone}/messages`, { to, text: 'I am at it.' });
  for (const to of [ada, ben])
    await waitFor('the text in the journal', async () => (await writtenTo(to)) === 1, LONG_MS);
  await erase(ada);
  expect([await writtenTo(ada), await writtenTo(ben)]).toEqual([0, 1]);
});

test('a card with the number of the contact is emptied, whoever wrote it; other cards are not', async () => {
  const [ada, ben, eve] = ['15550203511', '15550203512', '15550203513'];
  const card = (phone: string): object => ({
    content: { type: 'contact', contacts: [{ displayName: 'A friend', phone }] },
  });
  await writes(ben, card(ada));
  await writes(ben, card(eve));
  await waitFor('the outbox to be empty', async () => !(await traces(ada, eve)).includes('event_outbox'));
  expect(await wordsOfCards(ada)).toBe(1);
  await erase(ada, { until: new Date().toISOString() });
  expect(await wordsOfCards(ada)).toBe(0);
  expect(await wordsOfCards(eve)).toBe(1);
});

test('a message that is known under another address is found by its id', async () => {
  const [session, keyId, lid] = [sessionId, 'HIDDEN', '99887766554433@lid'];
  const insert = (sender: string): Promise<unknown> =>
    worker.database.query(
      `INSERT INTO sessions.inbound_message (session_id, sender, key_id, plaintext) VALUES ($1, $2, $3, 'x')`,
      [session, sender, keyId],
    );
  await insert(lid);
  await insert('11111111111@lid');
  const messages = [{ messageId: messageIdOf(session, lid, keyId), sessionId: session, keyId }];
  expect(await erase('15550203503', { messages })).toMatchObject({ journal: 1 });
  expect(await traces(lid)).toEqual([]);
  expect(await traces('11111111111@lid')).toEqual(['inbound_message']);
});

test('what is accepted for the contact before the erasure is done is never sent, what comes after it is', async () => {
  const contact = '15550203504';
  const erasureId = randomUUID();
  const before = new Date().toISOString();
  await erase(contact, { erasureId, before });
  await stage.send(sessionId, contact, 'too late');
  const until = new Date().toISOString();
  await erase(contact, { erasureId, before, until });
  await stage.send(sessionId, contact, 'too late', randomUUID(), new Date(Date.parse(before) - 1_000));
  const jobId = await stage.send(sessionId, contact, 'anew', randomUUID(), new Date(Date.now() + 1_000));
  await stage.event('message.delivered', jobId);
  expect(await stage.platform.inbox(contact)).toMatchObject([{ id: keyIdOf(jobId), text: 'anew' }]);
});

test('who was erased stays so when the key is changed, and where the hash is from before there was one', async () => {
  const { tenantId } = stage;
  const [lately, old, other] = ['15550203510', '15550203511', '15550203512'];
  await erase(lately);
  await worker.database.query(
    `INSERT INTO sessions.erased_contact (erasure_id, tenant_id, contact, before) VALUES ($1, $2, decode($3, 'hex'), now())`,
    [randomUUID(), tenantId, hash('sha256', `${tenantId}|${address(old)}`)],
  );
  await worker.changeKey('CONTACT_HASH_KEY', randomBytes(32).toString('hex'));
  for (const contact of [lately, old]) await stage.send(sessionId, contact, 'too late');
  await stage.event('message.delivered', await stage.send(sessionId, other, 'after these'));
  for (const contact of [lately, old]) expect(await stage.platform.inbox(contact)).toEqual([]);
});

test('an event of the contact that waits in the outbox is never told', async () => {
  const contact = '15550203505';
  const insert = (type: string, occurredAt: Date): Promise<unknown> =>
    stage.worker.database.query(
      `INSERT INTO sessions.event_outbox (id, envelope, created_at) VALUES ($1, $2, now() + interval '1 hour')`,
      [
        randomUUID(),
        JSON.stringify({
          ...{ id: randomUUID(), type, version: 1, tenantId: stage.tenantId, occurredAt },
          data: { remoteJid: address(contact) },
        }),
      ],
    );
  const before = new Date();
  await insert('message.received', new Date(+before - 1));
  await insert('message.received', new Date(+before + 1_000));
  await insert('message.sent', new Date(+before + 1_000));
  expect(await erase(contact, { before: before.toISOString() })).toMatchObject({ events: 2 });
  await stage.worker.database.query('DELETE FROM sessions.event_outbox WHERE created_at > now()');
});

test('a file that is still to be fetched is not, and its message is never told', async () => {
  const contact = '15550203506';
  await stage.platform.call('PUT', '/faults', { mediaStatus: 503 });
  const body = { to: phone, content: { type: 'image', media: { size: 1_000 } } };
  const { id } = await stage.platform.call<{ id: string }>('POST', `/contacts/${contact}/messages`, body);
  await waitFor('the first attempt', async () => {
    const rows = await worker.database.query(
      'SELECT 1 FROM sessions.inbound_media WHERE key_id = $1 AND attempts > 0',
      [id],
    );
    return rows.length > 0;
  });
  await erase(contact);
  await stage.platform.call('DELETE', '/faults');
  await writes('15550203507', { content: { type: 'image', media: { size: 1_000 } } });
  expect(await files()).toHaveLength(1);
  expect(stage.eventsOf('message.received', sessionId).filter(({ keyId }) => keyId === id)).toEqual([]);
  expect(await traces(contact)).toEqual([]);
});

test('a worker that is killed in the middle of an erasure does the rest when it is asked again', async () => {
  const contact = '15550203508';
  await writes(contact, { text: 'secret' });
  await stage.event('message.delivered', await stage.send(sessionId, contact, 'secret'));
  await waitFor('the outbox to be empty', async () => !(await traces(contact)).includes('event_outbox'));
  const erasureId = randomUUID();
  // The rows are locked, so that the request hangs between its note and its deletions.
  const locked = await new DataSource({ type: 'postgres', url: worker.database.url }).initialize();
  const lock = locked.createQueryRunner();
  await lock.startTransaction();
  await lock.query('SELECT 1 FROM sessions.outbound_message WHERE to_jid = $1 FOR UPDATE', [
    address(contact),
  ]);
  void erase(contact, { erasureId }).catch(() => undefined); // the caller gets no answer any more
  await waitFor('the note', async () => {
    const rows = await worker.database.query('SELECT 1 FROM sessions.erased_contact WHERE erasure_id = $1', [
      erasureId,
    ]);
    return rows.length > 0;
  });
  await worker.kill();
  await lock.rollbackTransaction();
  await lock.release();
  await locked.destroy();
  await worker.start();
  expect(await traces(contact)).toEqual(['outbound_message']);
  const until = new Date().toISOString();
  expect(await erase(contact, { erasureId, until })).toMatchObject({ sends: 1 });
  expect(await traces(contact)).toEqual([]);
});

test('what others wrote about the contact in a group, and we sent there, has neither their words nor their address', async () => {
  const [ada, ben] = ['15550203513', '15550203514'];
  const members = [ben, ada, phone];
  const body = { subject: 'A group', members };
  const { jid: group } = await stage.platform.call<{ jid: string }>('POST', '/groups', body);
  const words = await writes(ada, { to: undefined, group, text: 'secret words' });
  const hidden = (await senderOf(words)).split('|')[1] ?? '';
  const quote = {
    stanzaId: words.keyId,
    participant: hidden,
    quotedMessage: { conversation: 'secret words' },
  };
  const contextInfo = { ...quote, mentionedJid: [address(ada)] };
  const message = { extendedTextMessage: { text: 'I agree', contextInfo } };
  const answer = await writes(ben, { to: undefined, group, message });
  const plaintextOf = async (): Promise<string> => {
    // Its key came with it, in a row of the same id.
    const sql = `SELECT string_agg(encode(plaintext, 'escape'), '') AS text FROM sessions.inbound_message WHERE key_id = $1`;
    return (await worker.database.query<{ text: string }>(sql, [answer.keyId]))[0]?.text ?? '';
  };
  expect(await plaintextOf()).toContain('secret words');
  const target = { keyId: words.keyId, fromMe: false, participant: address(ada) };
  const quoted = { ...target, body: { type: 'text' as const, text: 'secret words' } };
  for (const sent of [
    { type: 'text' as const, text: 'Who?', mentions: [address(ada), address(ben)] },
    { type: 'text' as const, text: 'We are', quoted },
    { type: 'reaction' as const, emoji: '👍', target },
  ])
    await stage.event('message.sent', await stage.send(sessionId, group, sent));
  await erase(ada, { until: new Date().toISOString() });
  expect(await traces(ada, hidden, 'secret words')).toEqual([]);
  expect(await plaintextOf()).not.toMatch(/secret words|15550203513|@lid/);
  const sql = 'SELECT content FROM sessions.outbound_message WHERE to_jid = $1 ORDER BY seq';
  const rows = await worker.database.query<{ content: unknown }>(sql, [group]);
  expect(rows.map((row) => row.content)).toEqual([
    { type: 'text', text: 'Who?', mentions: [address(ben)] },
    { type: 'text', text: 'We are' },
    { type: 'reaction', emoji: '👍', target: { keyId: words.keyId, fromMe: false } },
  ]);
});

test('a card of the contact that was sent to somebody else keeps neither number nor name', async () => {
  const [ada, ben] = ['15550203507', '15550203508'];
  const card = (phone: string) =>
    ({ type: 'contact', contact: { displayName: 'Ada Lovelace', phone: `+${phone}` } }) as const;
  const sent = await stage.send(sessionId, ben, card(ada));
  const other = await stage.send(sessionId, ben, card('15550203509'));
  for (const jobId of [sent, other]) await stage.event('message.delivered', jobId);
  const cardOf = async (jobId: string): Promise<unknown> => {
    const sql = 'SELECT content FROM sessions.outbound_message WHERE job_id = $1';
    return (await worker.database.query<{ content: unknown }>(sql, [jobId]))[0]?.content;
  };
  await erase(ada, { until: new Date().toISOString() });
  expect(await cardOf(sent)).toEqual({ type: 'contact' });
  expect(await cardOf(other)).toMatchObject(card('15550203509'));
  expect(await traces(ada)).toEqual([]);
});

test('a card and a mention under another spelling of the number of the contact keep neither spelling', async () => {
  const [ada, spelling, ben] = ['15550203521', '15550203522', '15550203523'];
  await stage.platform.call('POST', '/contacts', { phone: ada, aliases: [spelling] });
  const contact = { displayName: 'Ada Lovelace', phone: `+${spelling}` };
  const text = { text: `@${spelling} knows`, mentions: [`${spelling}@s.whatsapp.net`] };
  for (const content of [
    { type: 'contact', contact },
    { type: 'text', ...text },
  ] as const) {
    const jobId = await stage.send(sessionId, ben, content);
    await stage.event('message.delivered', jobId);
  }
  await erase(ada, { until: new Date().toISOString() });
  const sql = `SELECT content FROM sessions.outbound_message WHERE to_jid LIKE $1 ORDER BY seq`;
  const rows = await worker.database.query<{ content: unknown }>(sql, [`${ben}@%`]);
  // The words stay: they are what was said to somebody else.
  expect(rows.map((row) => row.content)).toEqual([
    { type: 'contact' },
    { type: 'text', text: `@${spelling} knows`, mentions: [] },
  ]);
});
