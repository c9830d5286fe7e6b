import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { GetPlatformVersion, type PlatformVersionReply, SetPlatformVersion } from '@svc/contracts';
import { log } from '@svc/service';
import { startTestService, waitFor } from '@svc/testing';
import { schema } from '../../src/migrations/schema.js';
import { serviceOptions } from '../../src/service-options.js';
import { PlatformVersions } from '../../src/versions/platform-versions.js';
import { LONG_MS, Platform, Stage, workerEnv } from '../support.js';

const OLD = 1_043_857_760;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let stage: Stage;
let elapsed = 0;
/** The revision that the platform names in this test: each has its own, since an installation does not forget. */
let latest = OLD + 1_000_000;

/** Starts a worker at a platform that is asked to be so before. */
async function start(rules: object): Promise<Stage> {
  const platform = await Platform.start();
  await platform.call('PUT', '/versions', rules);
  const env = { ...workerEnv(platform), LOGIN_TIMEOUT_MS: '5000' };
  return Stage.of(await startTestService(serviceOptions, schema, env), platform);
}

const versions = (rules: object): Promise<unknown> => stage.platform.call('PUT', '/versions', rules);
const shown = (): Promise<PlatformVersionReply> => stage.worker.rpc.request(GetPlatformVersion, {});
const order = (revision: number | null): Promise<PlatformVersionReply> =>
  stage.worker.rpc.request(SetPlatformVersion, { revision, operator: 'Ada' });
const drop = (phone: string): Promise<unknown> =>
  stage.platform.call('POST', `/accounts/${phone}/disconnect`, { mode: 'drop' });

/** Moves domain time on. */
async function later(ms: number): Promise<void> {
  elapsed += ms;
  await stage.worker.database.query('SELECT public.svc_clock_set($1)', [elapsed]);
}

async function becomes(
  what: string,
  is: (now: PlatformVersionReply) => boolean,
): Promise<PlatformVersionReply> {
  return waitFor(
    what,
    async () => {
      const now = await shown();
      return is(now) && now;
    },
    LONG_MS,
  );
}

/** Reads the revision with which the session of a number is connected; null where it is not. */
async function revisionOf(phone: string): Promise<number | null> {
  const { devices } = await stage.platform.call<{ devices: { online: boolean; revision: number }[] }>(
    'GET',
    `/accounts/${phone}`,
  );
  return devices[0]?.online ? devices[0].revision : null;
}

const isConnectedWith = (phone: string, revision: number): Promise<unknown> =>
  waitFor(
    `${phone} to be connected with ${revision}`,
    async () => (await revisionOf(phone)) === revision,
    LONG_MS,
  );

async function waits(sessionId: string, reason: string): Promise<void> {
  await waitFor(
    `the session to wait for ${reason}`,
    async () => {
      const { status, statusReason } = await stage.get(sessionId);
      return status === 'RECONNECTING' && statusReason === reason;
    },
    LONG_MS,
  );
}

/** Reads a figure of the worker. */
async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${stage.worker.opsUrl}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
}

/** Says whether the worker knows that a session was refused for its version. */
const isRemembered = (id: string): boolean => stage.worker.get(PlatformVersions)['refused'].has(id);

describe('the version of the client', () => {
  const phones = ['15550131001', '15550131002'] as const;
  let sessions: string[];

  beforeAll(async () => {
    stage = await start({ swAnswer: 'hanging', pageAnswer: 'hanging' });
    sessions = [await stage.link(phones[0]), await stage.link(phones[1])];
  });
  afterAll(() => stage.stop());
  beforeEach(() => {
    latest += 1_000_000;
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await stage.platform.call('DELETE', '/versions');
    for (const phone of phones) await stage.platform.call('DELETE', `/accounts/${phone}/faults`);
  });

  /** Waits until no reading is under way: one that ends after the clock was moved would count as that of the later day. */
  const isRead = (): Promise<unknown> =>
    becomes(
      'the reading to be noted',
      ({ nextReadAt }) => Date.parse(nextReadAt ?? '') - Date.now() - elapsed > 2 * MINUTE,
    );

  /** Has the sources read that name this revision, with what else they are asked to be. */
  async function named(revision: number, rules: object = {}): Promise<void> {
    await isRead();
    await stage.platform.call('DELETE', '/versions');
    await versions({ swRevision: revision, pageRevision: revision, ...rules });
    await later(DAY + MINUTE);
    const reads = () => stage.platform.call<{ reads: { sw: number; page: number } }>('GET', '/versions');
    await waitFor('both sources to be read', async () => {
      const { sw, page } = (await reads()).reads;
      return sw > 0 && page > 0;
    });
    await isRead();
  }

  test('is that of the library while the sources hang: no start waits for them', async () => {
    expect(await shown()).toMatchObject({ mode: 'auto', revision: OLD, source: 'library', candidate: null });
    expect(await revisionOf(phones[0])).toBe(OLD);
  });

  test.each([
    ['is older', OLD - 1_000_000, {}],
    ['is absurdly high', 9_999_999_999, {}],
    ['stands on pages of garbage', OLD + 7, { swAnswer: 'garbage', pageAnswer: 'garbage' }],
    ['stands on pages without an end', OLD + 7, { swAnswer: 'endless', pageAnswer: 'endless' }],
  ])('stays as it is when the one that is named %s', async (_what, revision, rules) => {
    const { revision: before } = await shown();
    await named(revision, rules);
    expect(await shown()).toMatchObject({ revision: before, candidate: null });
  });

  test('is tried by one session first, and all use it when that one has stayed ten minutes', async () => {
    const { revision: before } = await shown();
    await named(latest, { pageAnswer: 'garbage' });
    const { candidate } = await becomes('one session to try it', (now) => now.candidate?.connectedAt != null);
    expect(candidate?.source).toMatch(/^http:.*\/sw\.js$/);
    const canary = sessions.indexOf(candidate?.sessionId as string);
    const other = 1 - canary;
    await isConnectedWith(phones[canary] as string, latest);
    await drop(phones[other] as string);
    await isConnectedWith(phones[other] as string, before);
    await later(10 * MINUTE);
    await becomes('it to be adopted', ({ revision }) => revision === latest);
    await drop(phones[other] as string);
    await isConnectedWith(phones[other] as string, latest);
    // Nobody who works is disturbed: the canary came back at once, and its tenant heard of no loss.
    expect(stage.eventsOf('session.disconnected', sessions[canary] as string)).toEqual([]);
  });

  test('goes back when it is refused, and only the session that tried it notices', async () => {
    const { revision: before } = await shown();
    await named(latest, { refusedRevisions: [latest] });
    await becomes('the refusal', ({ refused }) => refused.includes(latest));
    expect(await shown()).toMatchObject({ revision: before, candidate: null, outdated: null });
    for (const phone of phones) await isConnectedWith(phone, before);
  });

  test('goes back when logins with it are not answered, after three tries of the same session', async () => {
    const { revision: before } = await shown();
    const warnings = jest.spyOn(log(), 'warn');
    await named(latest, { changedLogins: [latest] });
    await becomes('it to be given up', ({ refused }) => refused.includes(latest));
    expect(await shown()).toMatchObject({ revision: before, candidate: null, outdated: null });
    for (const phone of phones) await isConnectedWith(phone, before);
    const late = warnings.mock.calls.flatMap(([fields]) => {
      const { reason, sessionId } = fields as { reason?: string; sessionId?: string };
      return reason === 'LOGIN_TIMEOUT' && sessionId !== undefined ? [sessionId] : [];
    });
    expect([late.length, new Set(late).size]).toEqual([3, 1]);
  });

  test('that is refused is replaced by what the sources name now: one session tries, the others follow', async () => {
    const alert = jest.spyOn(log(), 'error');
    await versions({ swRevision: latest, pageRevision: latest, loginFloor: latest });
    const told = stage.eventsOf('session.disconnected', sessions[0] as string).length;
    await drop(phones[0]);
    await isConnectedWith(phones[0], latest);
    const reasons = stage.eventsOf('session.disconnected', sessions[0] as string).slice(told);
    expect(reasons.map(({ reason }) => reason)).toEqual(['CONNECTION_LOST', 'CLIENT_OUTDATED']);
    expect(await revisionOf(phones[1])).not.toBe(latest);
    await drop(phones[1]);
    await isConnectedWith(phones[1], latest);
    expect(alert).toHaveBeenCalledTimes(1);
    await becomes('the session that tries to be noted', (now) => now.candidate?.connectedAt != null);
    await later(10 * MINUTE);
    await becomes('it to be adopted', ({ revision, outdated }) => revision === latest && !outdated);
  });

  test('that is refused while there is no other is tried by one session after 15 minutes, then after 30', async () => {
    const alert = jest.spyOn(log(), 'error');
    const closes = jest.spyOn(log(), 'info');
    const refusals = () =>
      closes.mock.calls.filter(([fields]) => (fields as { code?: number }).code === 405).length;
    const minutesTo = ({ outdated }: PlatformVersionReply): number =>
      Math.round((Date.parse(outdated?.nextTryAt ?? '') - Date.now() - elapsed) / MINUTE);
    const { revision: before } = await shown();
    await versions({ swRevision: before, pageRevision: before, loginFloor: before + 1 });
    for (const [n, phone] of phones.entries()) {
      await drop(phone);
      await waits(sessions[n] as string, 'CLIENT_OUTDATED');
    }
    expect([refusals(), alert.mock.calls.length, minutesTo(await shown())]).toEqual([2, 1, 15]);
    expect(await metric('platform_client_outdated')).toBe(1);
    await later(15 * MINUTE);
    expect(minutesTo(await becomes('the next try to fail', (now) => minutesTo(now) > 20))).toBe(30);
    expect(refusals()).toBe(3);
    await versions({ loginFloor: null });
    await later(30 * MINUTE);
    for (const phone of phones) await isConnectedWith(phone, before);
    expect(await shown()).toMatchObject({ revision: before, outdated: null });
    expect(await metric('platform_client_outdated')).toBe(0);
    expect(await metric('platform_version_refusals_total')).toBeGreaterThanOrEqual(3);
    expect(alert).toHaveBeenCalledTimes(1);
  });

  test('that is refused when a number is to be linked is replaced for that as well', async () => {
    await versions({ swRevision: latest, pageRevision: latest, loginFloor: latest });
    const sessionId = await stage.link('15550131003');
    expect(await revisionOf('15550131003')).toBe(latest);
    expect(stage.eventsOf('session.disconnected', sessionId)).toMatchObject([{ reason: 'CLIENT_OUTDATED' }]);
  });

  test('that is refused is not remembered of a session that is deleted, and of one that waits it is', async () => {
    const phone = '15550131004';
    const deleted = await stage.link(phone);
    const { revision: before } = await shown();
    // The candidate of the test before is refused as well: nobody finds another way in.
    await versions({ swRevision: before, pageRevision: before, loginFloor: latest + 1 });
    const waiting = [
      [phone, deleted],
      [phones[0], sessions[0] as string],
    ] as const;
    for (const [each, sessionId] of waiting) {
      await drop(each);
      await waits(sessionId, 'CLIENT_OUTDATED');
      expect(isRemembered(sessionId)).toBe(true);
    }
    await stage.change(deleted, 'delete');
    await waitFor('the session to be forgotten', () => !isRemembered(deleted), LONG_MS);
    expect(isRemembered(sessions[0] as string)).toBe(true);
    await versions({ loginFloor: null });
    await later(15 * MINUTE);
    await stage.reached(sessions[0] as string, 'CONNECTED');
    await becomes('the refusal to be over', ({ outdated }) => !outdated);
  });

  test('that is refused is no trouble any more once all are gone who were refused', async () => {
    const phone = '15550131005';
    const gone = await stage.link(phone);
    const { revision: before } = await shown();
    await versions({ swRevision: before, pageRevision: before, loginFloor: before + 1 });
    await drop(phone);
    await waits(gone, 'CLIENT_OUTDATED');
    await stage.change(gone, 'delete');
    await waitFor('the session to be forgotten', () => !isRemembered(gone), LONG_MS);
    expect((await shown()).outdated).not.toBeNull();
    await later(7 * 60 * MINUTE);
    await becomes('the refusal to be over', ({ outdated }) => !outdated);
    expect(await metric('platform_client_outdated')).toBe(0);
  });

  test('is what the operator says, also below what was accepted, until the sources shall say it again', async () => {
    const { revision: before } = await shown();
    expect(await order(OLD)).toMatchObject({
      mode: 'pinned',
      revision: OLD,
      source: 'operator',
      nextReadAt: null,
    });
    await drop(phones[0]);
    await isConnectedWith(phones[0], OLD);
    expect(await order(null)).toMatchObject({ mode: 'auto', revision: before });
    await drop(phones[0]);
    await isConnectedWith(phones[0], before);
    const facts = await stage.worker.database.query<{ fact: object }>(
      `SELECT fact FROM sessions.audit_outbox WHERE fact->>'action' = 'platform_version.set' ORDER BY seq`,
    );
    expect(facts.map(({ fact }) => fact)).toMatchObject([
      { actor: 'operator:Ada', details: { revision: OLD } },
      { actor: 'operator:Ada', details: { revision: null } },
    ]);
  });

  test('that is no revision is refused', async () => {
    await expect(order(12)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  });

  test('does not matter to a number that is banned: for a time it stays away, then it comes back', async () => {
    const [phone, sessionId] = [phones[0], sessions[0] as string];
    await stage.platform.call('PUT', `/accounts/${phone}/faults`, { loginError: 402, loginExpire: 4 });
    const closes = jest.spyOn(log(), 'info');
    await drop(phone);
    await waits(sessionId, 'TEMPORARILY_BANNED');
    const [row] = await stage.worker.database.query<{ left: number }>(
      `SELECT extract(epoch FROM status_until - clock_timestamp())::float8 AS left FROM sessions.session WHERE id = $1`,
      [sessionId],
    );
    expect(row?.left).toBeLessThanOrEqual(4);
    const { statusUntil } = await stage.get(sessionId);
    expect(Date.parse(String(statusUntil)) - Date.now()).toBeLessThanOrEqual(4_000);
    const told = stage.eventsOf('session.disconnected', sessionId).at(-1);
    expect(told).toMatchObject({ reason: 'TEMPORARILY_BANNED', until: statusUntil });
    await stage.platform.call('DELETE', `/accounts/${phone}/faults`);
    await stage.reached(sessionId, 'CONNECTED');
    const bans = closes.mock.calls.filter(([fields]) => (fields as { code?: number }).code === 402);
    expect(bans).toHaveLength(1);
    expect(stage.eventsOf('session.disconnected', sessionId).at(-1)).toMatchObject({
      reason: 'TEMPORARILY_BANNED',
    });
  });

  test('does not matter to a number that is banned for good: it stops', async () => {
    const [phone, sessionId] = [phones[1], sessions[1] as string];
    await stage.platform.call('PUT', `/accounts/${phone}/faults`, { loginError: 406 });
    await drop(phone);
    expect(await stage.reached(sessionId, 'DISCONNECTED')).toMatchObject({ statusReason: 'BANNED' });
    await waitFor('the news of it', () =>
      stage.eventsOf('session.disconnected', sessionId).some(({ reason }) => reason === 'BANNED'),
    );
  });
});
