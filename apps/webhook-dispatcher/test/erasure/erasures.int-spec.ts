import { hash, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  type ContactEvent,
  EraseInWebhooks,
  type ErasedInWebhooks,
  MessageSent,
  ReadContactEvents,
  ReadEventLog,
} from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { type ContactHashKeys, ErasedContacts } from '@svc/service';
import { waitFor } from '@svc/testing';
import { PATIENCE_MS, Stage, type Subscriber } from '../stage.js';

const stage = Stage.ofThisFile({ WEBHOOK_RETRY_DELAYS_MS: '0' });

const ADA = '15550007777@s.whatsapp.net';
const BEN = '115550007777@s.whatsapp.net';

beforeAll(() => stage.boot());

const ago = (ms: number): string => new Date(Date.now() - ms).toISOString();

function erase(
  tenantId: string,
  more: { erasureId?: string; before?: string; until?: string } = {},
): Promise<ErasedInWebhooks> {
  const { erasureId = randomUUID(), before = ago(0), ...fields } = more;
  return stage.rpc.request(EraseInWebhooks, { erasureId, tenantId, contact: ADA, before, ...fields }, 30_000);
}

/** Lists all events of the tenant that name her, part by part. */
async function ofAda(tenantId: string): Promise<{ events: ContactEvent[]; parts: number }> {
  const events: ContactEvent[] = [];
  let [after, parts] = ['0', 0];
  for (;;) {
    const reply = await stage.rpc.request(ReadContactEvents, { tenantId, contact: ADA, after }, 30_000);
    events.push(...reply.events);
    parts += 1;
    if (reply.next === null) return { events, parts };
    after = reply.next;
  }
}

const from = (remoteJid: string, timestamp = ago(60_000)) => ({
  ...{ remoteJid, phone: `+${remoteJid.split('@')[0]}`, timestamp },
});

const log = async (tenantId: string) =>
  (await stage.rpc.request(ReadEventLog, { tenantId, limit: 100 })).events.map(({ id }) => id);

/** Counts the rows of the tenant in which the person is named, in whatever column. */
async function traces(tenantId: string): Promise<number> {
  const [row] = await stage.database.query<{ count: number }>(
    `SELECT (SELECT count(*) FROM webhooks.webhook_event e WHERE tenant_id = $1
        AND position('"15550007777@' in encode(payload, 'escape')) > 0)::int AS count`,
    [tenantId],
  );
  return row?.count ?? -1;
}

/** Lists the hashes of whom the tenant has erased. */
async function remembered(tenantId: string): Promise<string[]> {
  const sql = `SELECT encode(contact, 'hex') AS hash FROM webhooks.erased_contact WHERE tenant_id = $1`;
  return (await stage.database.query<{ hash: string }>(sql, [tenantId])).map((row) => row.hash);
}

async function taken(tenantId: string): Promise<void> {
  await waitFor(
    'the events to be taken',
    async () => (await stage.producer.unacked(tenantId)) === 0,
    PATIENCE_MS,
  );
}

describe('a contact who is erased', () => {
  let receiver: Subscriber;

  test('is gone from events, attempts and dead letters, and others are not', async () => {
    receiver = await stage.subscriber();
    const { tenantId } = receiver;
    const delivered = await stage.producer.received(tenantId, from(ADA));
    await receiver.delivered(1);
    stage.receiver.answerWith(500);
    const dead = await stage.producer.received(tenantId, from(ADA));
    await waitFor('the dead letter', async () => (await receiver.deliveries(true)).length === 1, PATIENCE_MS);
    stage.receiver.answerWith(200);
    const other = await stage.producer.received(tenantId, from(BEN));
    // An event of another contact that names them goes, too.
    const naming = await stage.producer.received(tenantId, { ...from(BEN), mentions: [ADA] });
    await taken(tenantId);
    expect(await traces(tenantId)).toBe(3);
    // An export shows the same events that an erasure empties.
    const { events: shown } = await ofAda(tenantId);
    expect(shown.map(({ id }) => id)).toEqual([delivered.id, dead.id, naming.id]);
    expect(shown[1]).toMatchObject({
      event: 'message.received',
      payload: { remoteJid: ADA },
      deadLetters: [{ attempts: 1, reason: 'HTTP_500', deadAt: expect.stringMatching(/^20.*Z$/) }],
    });
    expect(shown[0]?.deadLetters).toEqual([]);
    const erasureId = randomUUID();
    const receipt = await erase(tenantId, { erasureId });
    expect(receipt).toMatchObject({ events: 3, deadLetters: 1, done: true });
    expect(receipt.attempts).toBeGreaterThanOrEqual(2);
    expect(await traces(tenantId)).toBe(0);
    expect(await ofAda(tenantId)).toEqual({ events: [], parts: 1 });
    expect(await log(tenantId)).toEqual([other.id]);
    expect(await receiver.deliveries(true)).toEqual([]);
    // A second request has the same answer; and a cursor on an erased event still holds.
    expect(await erase(tenantId, { erasureId })).toEqual(receipt);
    const [{ seq }] = (await stage.database.query<{ seq: string }>(
      'SELECT seq FROM webhooks.webhook_event WHERE id = $1',
      [delivered.id],
    )) as [{ seq: string }];
    const page = await stage.rpc.request(ReadEventLog, { tenantId, limit: 10, after: seq });
    expect(page.events.map(({ id }) => id)).toEqual([other.id]);
    // The erased event stays empty when the stream hands it out once more.
    await stage.producer.publishAgain(delivered);
    await taken(tenantId);
    expect(await traces(tenantId)).toBe(0);
  });

  test('loses what is held for a paused endpoint', async () => {
    const held = await stage.subscriber(['message.received']);
    await stage.setStatus(held.tenantId, held.endpointId, 'PAUSED');
    await stage.producer.received(held.tenantId, from(ADA));
    await stage.producer.received(held.tenantId, from(BEN));
    await waitFor('both to be held', async () => (await held.hot()).length === 2, PATIENCE_MS);
    expect(await erase(held.tenantId)).toMatchObject({ events: 1, deliveries: 1 });
    await stage.setStatus(held.tenantId, held.endpointId, 'ACTIVE');
    await held.delivered(1);
    expect(stage.receiver.bodies(held.path).map(({ payload }) => payload['remoteJid'])).toEqual([BEN]);
  });

  test('does not come back with what was on its way, and may write again', async () => {
    const { tenantId, path, delivered } = await stage.subscriber();
    const erasureId = randomUUID();
    const before = ago(0);
    await erase(tenantId, { erasureId, before });
    await stage.producer.received(tenantId, from(ADA));
    const outbound = (occurredAt?: string) => {
      const jobId = randomUUID();
      const timestamp = ago(0);
      const data = { sessionId: randomUUID(), jobId, messageId: jobId, keyId: '3EB0', clientMessageId: null };
      return envelopeOf(
        MessageSent,
        { tenantId, ...(occurredAt && { occurredAt }) },
        { ...data, to: ADA, timestamp },
      );
    };
    // The event is of a message that was sent before, and it comes while the erasure runs.
    await stage.producer.publish(outbound());
    await taken(tenantId);
    expect(await log(tenantId)).toEqual([]);
    const until = ago(0);
    expect(await erase(tenantId, { erasureId, before, until })).toMatchObject({ events: 0, done: true });
    await stage.producer.publish(outbound(before));
    const wanted = [
      await stage.producer.received(tenantId, from(ADA, new Date(Date.now() + 2_000).toISOString())),
    ];
    const sent = outbound(new Date(Date.now() + 1).toISOString());
    await stage.producer.publish(sent);
    await delivered(2);
    expect((await log(tenantId)).sort()).toEqual([...wanted, sent].map(({ id }) => id).sort());
    expect(stage.receiver.bodies(path)).toHaveLength(2);
  });

  test('does not come back with what others wrote before, and that quotes or mentions them', async () => {
    const { tenantId } = await stage.subscriber();
    await erase(tenantId, { until: ago(0) });
    const quoted = { keyId: '3EB0', remoteJid: ADA, body: { type: 'text' as const, text: 'secret' } };
    await stage.producer.received(tenantId, { ...from(BEN), mentions: [BEN, ADA] });
    await stage.producer.received(tenantId, { ...from(BEN), quoted });
    const other = await stage.producer.received(tenantId, { ...from(BEN), mentions: [BEN] });
    await taken(tenantId);
    expect(await traces(tenantId)).toBe(0);
    expect(await log(tenantId)).toEqual([other.id]);
  });

  test('is remembered under a hash that nobody can compute without the key', async () => {
    const { tenantId } = await stage.subscriber();
    await erase(tenantId);
    expect(await remembered(tenantId)).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
    expect(await remembered(tenantId)).not.toEqual([hash('sha256', `${tenantId}|${ADA}`)]);
  });

  test('stays erased where the hash is from before there was a key', async () => {
    const { tenantId } = await stage.subscriber();
    await erase(tenantId);
    await stage.database.query(
      `UPDATE webhooks.erased_contact SET contact = decode($2, 'hex') WHERE tenant_id = $1`,
      [tenantId, hash('sha256', `${tenantId}|${ADA}`)],
    );
    await stage.producer.received(tenantId, from(ADA));
    await taken(tenantId);
    expect(await log(tenantId)).toEqual([]);
  });

  test('stays erased when the key is changed', async () => {
    const { tenantId } = await stage.subscriber();
    await erase(tenantId);
    const erased = stage.get(ErasedContacts);
    const keys = Reflect.get(erased, 'keys') as ContactHashKeys;
    const contactHashKey = 'the next key of the tests, long enough';
    Reflect.set(erased, 'keys', { contactHashKey, contactHashKeyPrevious: keys.contactHashKey });
    await stage.producer.received(tenantId, from(ADA));
    await taken(tenantId);
    Reflect.set(erased, 'keys', keys);
    expect(await log(tenantId)).toEqual([]);
  });

  test('is another one for another tenant', async () => {
    const [mine, theirs] = [await stage.subscriber(), await stage.subscriber()];
    await stage.producer.received(theirs.tenantId, from(ADA));
    await theirs.delivered(1);
    expect(await erase(mine.tenantId)).toMatchObject({ events: 0 });
    expect(await traces(theirs.tenantId)).toBe(1);
  });

  test('is found among many events, piece by piece', async () => {
    const { tenantId } = await stage.subscriber();
    const payload = JSON.stringify({ remoteJid: ADA, timestamp: ago(60_000) });
    await stage.database.query(
      `INSERT INTO webhooks.webhook_event (id, tenant_id, conversation, kind, payload, created_at)
       SELECT gen_random_uuid(), $1, 0, 'message.received', CASE WHEN n % 5 = 0 THEN convert_to($2, 'UTF8') ELSE '{}' END, now()
       FROM generate_series(1, 2500) n`,
      [tenantId, payload],
    );
    expect(await erase(tenantId)).toMatchObject({ events: 500, done: true });
  });
});

test('of whom there is much is read in parts, each as long as a message may be', async () => {
  const { tenantId } = await stage.subscriber();
  const long = { body: { type: 'text' as const, text: 'x'.repeat(300_000) } };
  const sent: string[] = [];
  for (let i = 0; i < 4; i += 1)
    sent.push((await stage.producer.received(tenantId, { ...from(ADA), ...long })).id);
  await taken(tenantId);
  const { events, parts } = await ofAda(tenantId);
  expect(events.map(({ id }) => id)).toEqual(sent);
  expect(parts).toBe(2);
});
