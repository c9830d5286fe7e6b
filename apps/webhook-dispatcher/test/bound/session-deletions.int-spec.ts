import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, test } from '@jest/globals';
import { GetBoundEndpoint, ListEndpoints, MessageFailed, SessionDeleted } from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { waitFor } from '@svc/testing';
import { DataSource } from 'typeorm';
import { SessionDeletionsService } from '../../src/bound/session-deletions.service.js';
import { Stage } from '../stage.js';

const stage = Stage.ofThisFile();
beforeAll(() => stage.boot());

interface Ref {
  tenantId: string;
  sessionId: string;
}

const aSession = (): Ref => ({ tenantId: randomUUID(), sessionId: randomUUID() });
const timestamp = '2026-01-31T12:00:00.000Z';
const deletion = ({ tenantId, sessionId }: Ref, actor?: string) =>
  envelopeOf(SessionDeleted, { tenantId }, { sessionId, ...(actor && { actor }), timestamp });
const failure = ({ tenantId, sessionId }: Ref) => {
  const jobId = randomUUID();
  const to = '4915112345678@s.whatsapp.net';
  const deletion = { code: 'SESSION_DELETED' as const, message: 'The session was deleted.' };
  const data = { sessionId, jobId, messageId: jobId, keyId: '3EB0', clientMessageId: null };
  return envelopeOf(MessageFailed, { tenantId }, { ...data, to, timestamp, failure: deletion });
};
const bound = async ({ tenantId, sessionId }: Ref) =>
  (await stage.rpc.request(GetBoundEndpoint, { tenantId, sessionId })).endpoint;
const gone = (ref: Ref, withinMs?: number) =>
  waitFor('the endpoint to go', async () => (await bound(ref)) === null, withinMs);

test('a bound endpoint goes when its session is deleted, with a line of who did it, and that of no other session', async () => {
  const ref = aSession();
  const other = { ...ref, sessionId: randomUUID() };
  const endpoint = await stage.bind({ ...ref, url: stage.at('/gone') });
  await stage.bind({ ...other, url: stage.at('/other') });
  const event = deletion(ref, 'key:ada');
  await stage.producer.publish(event);
  await stage.producer.publishAgain(event);
  await gone(ref);
  const { endpoints } = await stage.rpc.request(ListEndpoints, { tenantId: ref.tenantId, limit: 10 });
  expect(endpoints.map(({ sessionId }) => sessionId)).toEqual([other.sessionId]);
  const { tenantId, sessionId } = ref;
  const details = { name: 'External bot', origin: stage.receiver.origin, sessionId };
  await waitFor('the line', () => stage.chain.of(tenantId).length > 2);
  expect(stage.chain.of(tenantId).slice(2)).toMatchObject([
    { action: 'webhook.deleted', actor: 'key:ada', target: endpoint?.id, details },
  ]);
  await stage.producer.received(tenantId, ref);
  await stage.producer.received(tenantId, other);
  expect(await stage.pathsOf(1)).toEqual(['/other']);
});

test('a session of another tenant is not touched', async () => {
  const ref = aSession();
  await stage.bind({ ...ref, url: stage.at('/bot') });
  const stranger = { ...ref, tenantId: randomUUID() };
  await stage.producer.publish(deletion(stranger));
  await waitFor('the deletion to be carried out', async () => {
    const sql = 'SELECT FROM webhooks.session_deletion WHERE tenant_id = $1 AND due_at IS NULL';
    return (await stage.database.query(sql, [stranger.tenantId])).length === 1;
  });
  expect(await bound(ref)).not.toBeNull();
});

test('the bot still hears what became of the messages that waited, also where it answers late', async () => {
  const ref = aSession();
  await stage.bind({ ...ref, url: stage.at('/bot') });
  const open = stage.holdBack(200);
  await stage.producer.publish(failure(ref));
  await stage.producer.publish(deletion(ref));
  await stage.pathsOf(1);
  await delay(2_500);
  expect(await bound(ref)).not.toBeNull();
  open();
  await gone(ref);
  expect(stage.receiver.bodies('/bot').map(({ event }) => event)).toEqual(['message.failed']);
});

test('nobody is waited for longer than a minute, and what is held goes with its endpoint', async () => {
  const ref = aSession();
  const { id = '' } = (await stage.bind({ ...ref, url: stage.at('/bot') })) ?? {};
  stage.holdBack(200);
  await stage.producer.publish(failure(ref));
  await stage.pathsOf(1);
  await stage.producer.publish(deletion(ref));
  const rows = 'webhooks.session_deletion WHERE session_id = $1';
  await waitFor('the deletion to be noted', async () => {
    return (await stage.database.query(`SELECT FROM ${rows}`, [ref.sessionId])).length === 1;
  });
  const sql = `UPDATE webhooks.session_deletion SET noted_at = noted_at - interval '1 minute' WHERE session_id = $1`;
  await stage.database.query(sql, [ref.sessionId]);
  await gone(ref);
  await waitFor('its delivery to go', async () => (await stage.hot(ref.tenantId)).length === 0);
  expect(id).not.toBe('');
});

test('a paused endpoint has nobody to wait for', async () => {
  const ref = aSession();
  const { id = '' } = (await stage.bind({ ...ref, url: stage.at('/bot') })) ?? {};
  await stage.setStatus(ref.tenantId, id, 'PAUSED');
  await stage.producer.publish(failure(ref));
  await waitFor('the delivery', async () => (await stage.hot(ref.tenantId)).length > 0);
  await stage.producer.publish(deletion(ref));
  await gone(ref);
});

test('the endpoint of one tenant goes although the deletions of another came first and take long', async () => {
  const [crowd, other] = [aSession(), aSession()];
  const sessions = Array.from({ length: 25 }, () => ({ ...crowd, sessionId: randomUUID() }));
  for (const ref of sessions) {
    const { id: endpointId = '' } = (await stage.bind({ ...ref, url: stage.at('/crowd') })) ?? {};
    await stage.setStatus(ref.tenantId, endpointId, 'PAUSED');
    await stage.orphan({ ...ref, endpointId });
  }
  await stage.bind({ ...other, url: stage.at('/other') });
  const lock = await new DataSource({ type: 'postgres', url: stage.database.url }).initialize();
  const holder = lock.createQueryRunner();
  await holder.startTransaction();
  await holder.query('SELECT FROM webhooks.webhook_delivery WHERE tenant_id = $1 FOR UPDATE', [
    crowd.tenantId,
  ]);
  for (const ref of sessions) await stage.producer.publish(deletion(ref));
  await waitFor('one to take long', async () => {
    const sql = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'DELETE FROM webhook_delivery%'`;
    return ((await lock.query(sql)) as object[]).length > 0;
  });
  await stage.producer.publish(deletion(other));
  await gone(other, 8_000);
  await holder.rollbackTransaction();
  await holder.release();
  await lock.destroy();
  for (const ref of sessions) await gone(ref, 60_000);
}, 120_000);

test('a call that comes after the deletion makes no endpoint any more', async () => {
  const ref = aSession();
  await stage.get(SessionDeletionsService).take(deletion(ref));
  await expect(stage.bind({ ...ref, url: stage.at('/late') })).rejects.toMatchObject({
    code: 'SESSION_NOT_FOUND',
  });
  expect(await bound(ref)).toBeNull();
  expect(stage.chain.of(ref.tenantId)).toEqual([]);
});

test('a call at the moment of the deletion leaves no endpoint behind', async () => {
  const refs = Array.from({ length: 8 }, aSession);
  const deletions = stage.get(SessionDeletionsService);
  const race = async (ref: Ref, n: number): Promise<void> => {
    const call = stage.bind({ ...ref, url: stage.at('/race') });
    // The deletion comes before, while and after the call is carried out.
    const note = delay(n * 12).then(() => deletions.take(deletion(ref)));
    await Promise.allSettled([call, note]);
  };
  await Promise.all(refs.map(race));
  for (const ref of refs) await gone(ref);
  for (const { tenantId } of refs) {
    await waitFor('its lines', () => stage.chain.of(tenantId).length !== 1);
    const actions = stage.chain.of(tenantId).map(({ action }) => action);
    expect([[], ['webhook.created', 'webhook.deleted']]).toContainEqual(actions);
  }
});

test('a deletion that cannot be read is a dead letter', async () => {
  const ref = aSession();
  const dead = await stage.producer.collectDead();
  const event = { ...deletion(ref), data: { sessionId: 'nonsense', timestamp } };
  await stage.producer.publish(event);
  await waitFor('the dead letter', () => dead.some(({ message }) => message.includes(event.id)));
});
