import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { EraseInLimits, MessageReceived, MessageSent, type ReserveV1 } from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { startTestService, type TestService, waitFor } from '@svc/testing';
import { LimitsConfig } from '../src/config.js';
import { schema } from '../src/migrations/schema.js';
import { serviceOptions } from '../src/service-options.js';
import { ContactHash } from '../src/warmup/contact-hash.js';
import { aSend, reserveInTurn } from './sends.js';

let limits: TestService;
beforeAll(async () => {
  limits = await startTestService(serviceOptions, schema);
});
afterAll(() => limits.stop());

const [ADA, BEN] = ['4915112345671@s.whatsapp.net', '4915112345672@s.whatsapp.net'];
const timestamp = new Date().toISOString();

interface ContactRow extends Record<string, unknown> {
  contact: string;
  key_version: number;
  sent_at: Date | null;
  replied_at: Date | null;
}

const contactsOf = ({ sessionId }: ReserveV1) =>
  limits.database.query<ContactRow>('SELECT * FROM limits.warmup_contact WHERE session_id = $1', [sessionId]);
const known = (send: ReserveV1, count: number) =>
  waitFor(`${count} contacts`, async () => {
    const rows = await contactsOf(send);
    return rows.length === count && rows;
  });
/** The hash that anybody can compute. */
const plainHash = async (address: string): Promise<string> => {
  const sql = 'SELECT hashtextextended($1, 0)::text AS hash';
  return (await limits.database.query<{ hash: string }>(sql, [address]))[0]!.hash;
};
async function writesTo(to: string, own: ReserveV1 = aSend()): Promise<ReserveV1> {
  await reserveInTurn(limits.rpc, [own]);
  const { jobId, sessionId, tenantId } = own;
  const job = { sessionId, jobId, messageId: jobId, keyId: '3EB0C0FFEE', clientMessageId: null };
  await limits.messaging.publishEvent(envelopeOf(MessageSent, { tenantId }, { ...job, to, timestamp }));
  return own;
}
const hearsFrom = (from: string, { sessionId, tenantId }: ReserveV1) => {
  const message = {
    sessionId,
    messageId: randomUUID(),
    keyId: '3A',
    remoteJid: from,
    phone: null,
    pushName: 'Ada',
  };
  const data = { ...message, body: { type: 'text' as const, text: 'x' }, timestamp, fromMe: false };
  return limits.messaging.publishEvent(envelopeOf(MessageReceived, { tenantId }, data));
};
const erase = ({ tenantId }: ReserveV1, contact: string) =>
  limits.rpc.request(EraseInLimits, { erasureId: randomUUID(), tenantId, contact, before: timestamp });

test('a contact is stored under a hash that nobody can compute without the key', async () => {
  const [row] = await known(await writesTo(ADA), 1);
  expect(row?.key_version).toBe(1);
  expect(row?.contact).not.toBe(await plainHash(ADA));
});

test('an erasure takes the contact, whether we wrote to them or they to us, and nobody else', async () => {
  const [own, other] = [await writesTo(ADA), await writesTo(ADA)];
  await writesTo(BEN, { ...own, jobId: randomUUID() });
  const heard = { ...aSend(), tenantId: own.tenantId };
  await hearsFrom(ADA, heard);
  await Promise.all([known(own, 2), known(other, 1), known(heard, 1)]);
  expect(await erase(own, ADA)).toEqual({ contacts: 2 });
  expect(await contactsOf(heard)).toEqual([]);
  expect(await known(own, 1)).toHaveLength(1);
  expect(await known(other, 1)).toHaveLength(1);
});

test('a hash from before there was a key gets one, and becomes one with what came since', async () => {
  const own = await writesTo(ADA);
  await known(own, 1);
  for (const address of [ADA, BEN])
    await limits.database.query(
      `INSERT INTO limits.warmup_contact (session_id, tenant_id, contact, replied_at) VALUES ($1, $2, $3, now())`,
      [own.sessionId, own.tenantId, await plainHash(address)],
    );
  await limits.get(ContactHash).convert();
  const rows = await contactsOf(own);
  expect(rows.map(({ key_version }) => key_version)).toEqual([1, 1]);
  expect(rows.filter(({ sent_at, replied_at }) => sent_at && replied_at)).toHaveLength(1);
  expect(await erase(own, BEN)).toEqual({ contacts: 1 });
  expect(await erase(own, ADA)).toEqual({ contacts: 1 });
});

test('while replicas change to the next key and back, each contact is one', async () => {
  const own = await writesTo(ADA);
  await known(own, 1);
  const hash = limits.get(ContactHash);
  const config = limits.get(LimitsConfig);
  const { contactHashKey: former } = config;
  const next = 'the key of the next year, long enough';
  const hashesWith = (contactHashKey: string, contactHashKeyPrevious: string): object => ({
    ...{ ...config, contactHashKey, contactHashKeyPrevious },
    contactHashKeyVersion: contactHashKey === next ? 2 : 1,
  });
  const meets = async (key: string, other: string): Promise<ContactRow> => {
    Reflect.set(hash, 'config', hashesWith(key, other));
    await writesTo(ADA, { ...own, jobId: randomUUID() });
    return waitFor('one contact under this key', async () => {
      const [row, ...others] = await contactsOf(own);
      return row?.key_version === (key === next ? 2 : 1) && others.length === 0 && row;
    });
  };
  const { contact } = await meets(next, former);
  await meets(former, next);
  // Two replicas that meet somebody at the same moment make two rows.
  await limits.database.query(
    `INSERT INTO limits.warmup_contact (session_id, tenant_id, contact, replied_at, key_version) VALUES ($1, $2, $3, now(), 2)`,
    [own.sessionId, own.tenantId, contact],
  );
  const { sent_at, replied_at } = await meets(next, former);
  expect([sent_at, replied_at]).not.toContain(null);
  Reflect.set(hash, 'config', config);
});

test('after the key has changed a contact who is met again is the same one, and an erasure finds who is not', async () => {
  const own = await writesTo(ADA);
  await writesTo(BEN, { ...own, jobId: randomUUID() });
  await known(own, 2);
  const config = limits.get(LimitsConfig);
  const { contactHashKey: contactHashKeyPrevious } = config;
  const next = { contactHashKey: 'the next key of the tests, long enough', contactHashKeyVersion: 2 };
  Reflect.set(limits.get(ContactHash), 'config', { ...config, ...next, contactHashKeyPrevious });
  await writesTo(ADA, { ...own, jobId: randomUUID() });
  await waitFor('the new version', async () =>
    (await contactsOf(own)).some(({ key_version }) => key_version === 2),
  );
  const rows = await contactsOf(own);
  expect(rows).toHaveLength(2);
  expect(await erase(own, ADA)).toEqual({ contacts: 1 });
  expect(await erase(own, BEN)).toEqual({ contacts: 1 });
});
