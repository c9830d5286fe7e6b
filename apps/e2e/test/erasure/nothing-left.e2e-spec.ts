import { beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '@svc/testing';
import pg from 'pg';
import { Actor } from '../../src/stack/actor.js';
import type { Answer, Stack } from '../../src/stack/stack.js';
import { stackOfRun, withReceiver } from '../stage/stage.js';
import { guessesOf, smallGuessesOf, textsOf, type Wanted } from './guesses.js';
import { columnsWith, filesWith, holds, type Needles } from './places.js';
import { Traces } from './traces.js';

let stack: Stack;
const receiver = withReceiver();
beforeAll(async () => void (stack = await stackOfRun()));

const LONG = 60_000;
const LISTS = ['messages', 'conversations', 'events', 'audit-log', 'webhooks', 'sessions', 'api-keys'];

/** Columns in which the person is before the erasure, or the doors of the scene are closed. */
const TRACES = [
  'gateway.client_message.client_message_id',
  ...['contact', 'body', 'client_message_id', 'content', 'origin', 'metadata'].map(
    (name) => `gateway.message.${name}`,
  ),
  ...['gateway.conversation.id', 'gateway.conversation.contact', 'gateway.upload.filename'],
  ...['voter', 'chat', 'options'].map((name) => `gateway.poll_vote.${name}`),
  ...['sessions.early_vote.sender', 'sessions.early_vote.attrs'],
  ...[
    'sessions.inbound_media.sender',
    'sessions.inbound_message.sender',
    'sessions.inbound_message.plaintext',
  ],
  ...['to_jid', 'content', 'client_message_id', 'metadata'].map(
    (name) => `sessions.outbound_message.${name}`,
  ),
  ...[
    'webhooks.webhook_attempt.resp_head',
    'webhooks.webhook_event.conversation',
    'webhooks.webhook_event.payload',
  ],
];

/** Three files came with messages: theirs, the same one once more, and ours to them. */
const FILES = Array(3).fill(expect.stringMatching(/^media\//)) as unknown[];
/** Block of the stream of events, which keeps copies for a day; a busy stack has several. */
const BLOCK_OF_EVENTS = /^nats\/.*\/EVENTS\/msgs\/\d+\.blk$/;

/** Walks lists page by page, with a page for each item; returns all cursors, and all that was read. */
async function walk(actor: Actor, paths: string[]): Promise<{ cursors: string[]; read: string }> {
  const cursors: string[] = [];
  let read = '';
  for (const path of paths) {
    for (let next: string | null = `/v1/${path}?limit=1`; next;) {
      const { body }: Answer<{ nextCursor: string | null }> = await actor.api('GET', next);
      read += JSON.stringify(body);
      if (body.nextCursor) cursors.push(body.nextCursor);
      next = body.nextCursor ? `/v1/${path}?limit=1&before=${body.nextCursor}` : null;
    }
  }
  return { cursors, read };
}

/** Lists the files with the person but those of the stream of events. */
const filesElsewhere = (needles: Needles): string[] =>
  filesWith(stack, needles).filter((file) => !BLOCK_OF_EVENTS.test(file));

/** Reads what a cursor says to who decodes it. */
const readable = (cursor: string): string =>
  `${cursor} ${Buffer.from(cursor, 'base64url').toString('latin1')}`;

async function eraseAndWait(actor: Actor, phone: string): Promise<void> {
  const asked = await actor.api<{ id: string }>('DELETE', `/v1/contacts/${phone}`);
  expect(asked.status).toBe(202);
  await waitFor(
    'the erasure',
    async () => (await actor.api('GET', `/v1/erasures/${asked.body.id}`)).body['status'] === 'DONE',
    LONG,
  );
}

test('after an erasure nothing of the person is left anywhere but what the documents say, and no hash that anybody can compute', async () => {
  const actor = await Actor.create(stack);
  await actor.promote();
  await actor.listen(receiver.get());
  receiver.get().answerWith(({ path, raw }) => (path === '/dead' ? { status: 500, body: raw } : 200));
  const dead = await actor.api('POST', '/v1/webhooks', {
    name: 'dead',
    url: `${receiver.get().origin}/dead`,
  });
  expect(dead.status).toBe(201);
  const events = ['message.poll_vote', 'message.live_location', 'call.received'];
  const named = await actor.api('POST', '/v1/webhooks', {
    ...{ name: 'named', url: `${receiver.get().origin}/named`, events },
  });
  expect(named.status).toBe(201);
  const person = await Traces.leave(stack, actor, receiver.get());
  const wanted: Wanted = {
    ...{ phone: person.phone, lid: person.lid },
    apart: [actor.tenant.tenantId, actor.sessionId],
  };
  const database = new pg.Client({ connectionString: stack.file.postgres });
  await database.connect();
  try {
    const hashes = await hashesOfPostgres(database, textsOf(wanted));
    const needles: Needles = {
      texts: [person.phone, person.lid, person.name, person.word, ...guessesOf(wanted), ...hashes.large],
      numbers: new Set([...smallGuessesOf(wanted).map(String), ...hashes.small]),
    };
    const hooks = [
      `webhooks/${String(dead.body['id'])}/deliveries`,
      `webhooks/${String(dead.body['id'])}/dead-letters`,
    ];
    const before = await walk(actor, [...LISTS, ...hooks]);
    expect(holds(before.read, needles)).toBe(true);
    expect(await columnsWith(database, needles)).toEqual(expect.arrayContaining(TRACES));
    expect(filesElsewhere(needles)).toEqual(FILES);

    await eraseAndWait(actor, person.phone);

    expect(await columnsWith(database, needles)).toEqual(['sessions.signal_key.key_id']);
    expect(filesElsewhere(needles)).toEqual([]);
    expect(before.cursors.filter((cursor) => holds(readable(cursor), needles))).toEqual([]);
    const after = await walk(actor, [...LISTS, ...hooks]);
    expect(holds(after.read, needles)).toBe(false);
  } finally {
    await database.end();
  }
});

/** Hashes a contact as PostgreSQL does, which anybody may have. */
async function hashesOfPostgres(
  database: pg.Client,
  texts: string[],
): Promise<{ large: string[]; small: string[] }> {
  const { rows } = await database.query<{ large: string; small: string }>(
    `SELECT hashtextextended(text, 0)::text AS large, hashtext(text)::text AS small FROM unnest($1::text[]) AS text`,
    [texts],
  );
  return { large: rows.map(({ large }) => large), small: rows.map(({ small }) => small) };
}
