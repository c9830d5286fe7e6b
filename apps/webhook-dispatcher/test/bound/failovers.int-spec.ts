import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { GetBoundEndpoint } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { FailoversService } from '../../src/bound/failovers.service.js';
import { SessionOwner } from '../session-owner.js';
import { PATIENCE_MS, Stage } from '../stage.js';

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
const RETRY_MS = 10 * MINUTE_MS;

let owner: SessionOwner;
// It stops before the servers of the stage do.
afterAll(() => owner.stop());

const stage = Stage.ofThisFile({
  WEBHOOK_RETRY_DELAYS_MS: `0,${RETRY_MS},${RETRY_MS},${RETRY_MS},${RETRY_MS}`,
});
beforeAll(async () => {
  owner = await SessionOwner.listen(stage.nats.url);
  await stage.boot();
});
afterEach(async () => {
  owner.beforeAnswer = () => Promise.resolve();
  await stage.database.query('DELETE FROM public.svc_clock');
});

const OVER = ['MANAGED', 'FAILOVER'];
const BACK = ['EXTERNAL', 'FAILBACK'];
const sweep = () => stage.get(FailoversService).sweep();

/** Makes a session in external mode whose receiver answers with errors. */
async function aSession(failover: { afterMinutes: number } | null = { afterMinutes: 5 }) {
  const ref = { tenantId: randomUUID(), sessionId: randomUUID() };
  const { tenantId, sessionId } = ref;
  const path = `/${sessionId}`;
  const made = await stage.bind({ ...ref, url: stage.at(path), failover });
  const endpointId = made?.id ?? '';
  stage.receiver.answerWith(503);
  const receive = (keyId: string) => stage.producer.received(tenantId, { ...ref, keyId });
  const attempts = async () =>
    (await stage.deliveries(tenantId, endpointId)).flatMap((one) => one.attempts).length;
  const tried = (count: number) => waitFor(`attempt ${count}`, async () => (await attempts()) === count);
  /** Moves the clock of this tenant alone. */
  const moveClock = (offsetMs: number) =>
    stage.database.query(
      `INSERT INTO public.svc_clock (tenant_id, offset_ms) VALUES ($1, $2)
       ON CONFLICT (tenant_id) DO UPDATE SET offset_ms = excluded.offset_ms`,
      [tenantId, offsetMs],
    );
  const changes = () => owner.changesOf(sessionId);
  const changed = (...all: string[][]) =>
    waitFor(`${all.length} changes`, () => changes().length >= all.length, PATIENCE_MS).then(() =>
      expect(changes()).toEqual(all),
    );
  const isStep = (step: string | null) =>
    waitFor(`the step ${step}`, async () => {
      const sql = 'SELECT failover_step AS step FROM webhooks.webhook_endpoint WHERE id = $1';
      const rows = await stage.database.query<{ step: string | null }>(sql, [endpointId]);
      return rows[0]?.step === step;
    });
  const setStatus = (status: 'ACTIVE' | 'PAUSED') => stage.setStatus(tenantId, endpointId, status);
  const put = (more: object) => stage.bind({ ...ref, ...more });
  return { ...ref, path, receive, tried, moveClock, changes, changed, isStep, setStatus, put };
}

describe('a session whose endpoint is silent', () => {
  test('fails over after its minutes, once, and comes back with the first 2xx, once', async () => {
    const { receive, tried, moveClock, changes, changed, isStep, path } = await aSession();
    await receive('1');
    await tried(1);
    await moveClock(4 * MINUTE_MS);
    await sweep();
    expect(changes()).toEqual([]);
    await moveClock(5 * MINUTE_MS + 1_000);
    await changed(OVER);
    await isStep('FAILED_OVER');
    await receive('2');
    await tried(2);
    await sweep();
    expect(changes()).toEqual([OVER]);
    stage.receiver.answerWith(200);
    await moveClock(2 * RETRY_MS);
    await changed(OVER, BACK);
    await isStep(null);
    expect(stage.keyIds(path).toSorted()).toEqual(['1', '1', '2', '2']);
    await receive('3');
    await tried(5);
    await sweep();
    expect(changes()).toEqual([OVER, BACK]);
  });

  test('counts from the first failure after the last 2xx', async () => {
    const { receive, tried, moveClock, changes, changed } = await aSession();
    await receive('1');
    await tried(1);
    stage.receiver.answerWith(200);
    await receive('2');
    await tried(2);
    stage.receiver.answerWith(503);
    await moveClock(4 * MINUTE_MS);
    await receive('3');
    await tried(3);
    await moveClock(8 * MINUTE_MS);
    await sweep();
    expect(changes()).toEqual([]);
    await moveClock(9 * MINUTE_MS + 1_000);
    await changed(OVER);
  });

  test('does not fail over while there is nothing to deliver', async () => {
    const { receive, tried, moveClock, changes, changed } = await aSession({ afterMinutes: 1_440 });
    await receive('1');
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await tried(attempt);
      await moveClock(attempt * (RETRY_MS + MINUTE_MS));
    }
    await moveClock(2 * DAY_MS);
    await sweep();
    expect(changes()).toEqual([]);
    await receive('2');
    await changed(OVER);
  });

  test('does not fail over where its tenant has not said so, or has disabled its endpoint', async () => {
    const [unasked, disabled] = [await aSession(null), await aSession()];
    for (const { receive, tried } of [unasked, disabled]) {
      await receive('1');
      await tried(1);
    }
    await disabled.put({ enabled: false, modeVersion: 1 });
    for (const { moveClock } of [unasked, disabled]) await moveClock(8 * MINUTE_MS);
    await sweep();
    expect([unasked.changes(), disabled.changes()]).toEqual([[], []]);
  });

  test('stays as its tenant has set it meanwhile', async () => {
    const [byHand, again] = [await aSession(), await aSession()];
    for (const { receive, tried, moveClock, changed, isStep } of [byHand, again]) {
      await receive('1');
      await tried(1);
      await moveClock(6 * MINUTE_MS);
      await changed(OVER);
      await isStep('FAILED_OVER');
    }
    owner.set(byHand.sessionId, 'MANAGED');
    owner.set(again.sessionId, 'EXTERNAL');
    stage.receiver.answerWith(200);
    for (const { moveClock, isStep } of [byHand, again]) {
      await moveClock(6 * MINUTE_MS + RETRY_MS);
      await isStep(null);
    }
    expect([byHand.changes(), again.changes()]).toEqual([[OVER], [OVER]]);
  });

  test('that somebody has made MANAGED without its endpoint does not fail over', async () => {
    const { sessionId, receive, tried, moveClock, changes, isStep } = await aSession();
    await receive('1');
    await tried(1);
    owner.set(sessionId, 'MANAGED');
    await moveClock(6 * MINUTE_MS);
    await sweep();
    await isStep(null);
    expect(changes()).toEqual([]);
  });
});

describe('a session whose endpoint is paused', () => {
  test('fails over after its minutes, and comes back when it is reactivated and has answered 2xx', async () => {
    const { receive, moveClock, changes, changed, setStatus, isStep } = await aSession();
    stage.receiver.answerWith(200);
    await setStatus('PAUSED');
    await moveClock(4 * MINUTE_MS);
    await sweep();
    expect(changes()).toEqual([]);
    await moveClock(5 * MINUTE_MS + 1_000);
    await changed(OVER);
    await isStep('FAILED_OVER');
    await setStatus('ACTIVE');
    await sweep();
    expect(changes()).toEqual([OVER]);
    await receive('1');
    await changed(OVER, BACK);
  });

  test('has its minutes anew when its tenant enables it again', async () => {
    const { moveClock, changes, setStatus, put, changed, isStep } = await aSession();
    await setStatus('PAUSED');
    await moveClock(4 * MINUTE_MS);
    await put({ enabled: true });
    await moveClock(8 * MINUTE_MS);
    await sweep();
    expect(changes()).toEqual([]);
    await moveClock(9 * MINUTE_MS + 1_000);
    await changed(OVER);
    await isStep('FAILED_OVER');
    // The caller that enables it changes the mode itself; where it is cut off before that, the dispatcher does.
    await put({ enabled: true });
    await changed(OVER, BACK);
  });
});

test('a 2xx while the session fails over takes it back, although the answer of the change was lost', async () => {
  const { receive, tried, moveClock, changed, isStep } = await aSession();
  await receive('1');
  await tried(1);
  // The process that asks is cut off: it never hears of the change.
  owner.beforeAnswer = () => new Promise(() => undefined);
  await moveClock(6 * MINUTE_MS);
  await changed(OVER);
  owner.beforeAnswer = () => Promise.resolve();
  stage.receiver.answerWith(200);
  await moveClock(6 * MINUTE_MS + RETRY_MS);
  await tried(2);
  await changed(OVER, BACK);
  await isStep(null);
});

test('of two processes one changes the mode', async () => {
  await stage.spawn({ WORKER_NAME: 'the-other' });
  const sessions = await Promise.all(Array.from({ length: 8 }, () => aSession()));
  for (const { setStatus } of sessions) await setStatus('PAUSED');
  await stage.database.query(`INSERT INTO public.svc_clock (tenant_id, offset_ms)
    SELECT tenant_id, ${6 * MINUTE_MS} FROM webhooks.webhook_endpoint ON CONFLICT DO NOTHING`);
  for (const { changed, isStep } of sessions) {
    await isStep('FAILED_OVER');
    await changed(OVER);
  }
});

test('what a tenant has said of the fail-over is there to read, and stays until it is taken back', async () => {
  const { tenantId, sessionId, put } = await aSession();
  const read = async () =>
    (await stage.rpc.request(GetBoundEndpoint, { tenantId, sessionId })).failover ?? null;
  expect(await read()).toEqual({ afterMinutes: 5 });
  await put({ enabled: true });
  expect(await read()).toEqual({ afterMinutes: 5 });
  await put({ enabled: true, failover: null });
  expect(await read()).toBeNull();
});
