import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { GetSessionQr, SetBotMode } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { DataSource } from 'typeorm';
import { LONG_MS, Stage } from '../support.js';

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.start({ LOGIN_TIMEOUT_MS: '6000' });
});
afterAll(() => stage.stop());
afterEach(() => stage.platform.call('DELETE', '/faults'));

const disconnect = (phone: string, how: object): Promise<unknown> =>
  stage.platform.call('POST', `/accounts/${phone}/disconnect`, how);
const faults = (phone: string, change: object): Promise<unknown> =>
  stage.platform.call('PUT', `/accounts/${phone}/faults`, change);

/** Reads the device of a number as the platform sees it. */
async function device(phone: string): Promise<{ online: boolean; connectedAt: string | null } | undefined> {
  const account = await stage.platform.call<{ devices: { online: boolean; connectedAt: string | null }[] }>(
    'GET',
    `/accounts/${phone}`,
  );
  return account.devices[0];
}

/** Waits until the session was disconnected so often, and returns for which reasons. */
async function reasons(sessionId: string, count = 1): Promise<unknown[]> {
  const all = () => stage.eventsOf('session.disconnected', sessionId).map(({ reason }) => reason);
  return waitFor(`${count} session.disconnected`, () => all().length >= count && all(), LONG_MS);
}

describe('a session that the platform disconnects', () => {
  test.each([
    ['closes in good order', '15550108001', { mode: 'close' }, 'CONNECTION_LOST'],
    ['fails itself', '15550108002', { mode: 'stream-error', code: 503 }, 'PLATFORM_ERROR'],
  ])('comes back when the platform %s', async (_what, phone, how, reason) => {
    const sessionId = await stage.link(phone);
    await disconnect(phone, how);
    expect(await reasons(sessionId)).toEqual([reason]);
    expect(stage.eventsOf('session.disconnected', sessionId)).toMatchObject([
      { willReconnect: true, status: 'RECONNECTING', statusReason: reason, phone: `+${phone}` },
    ]);
    await stage.reached(sessionId, 'CONNECTED');
  });

  test('stays away when the platform refuses it, until somebody asks', async () => {
    const phone = '15550108003';
    const sessionId = await stage.link(phone);
    await disconnect(phone, { mode: 'failure', code: 403 });
    expect(await reasons(sessionId)).toEqual(['PLATFORM_REFUSED']);
    expect(stage.eventsOf('session.disconnected', sessionId)).toMatchObject([
      { willReconnect: false, status: 'DISCONNECTED' },
    ]);
    expect(await stage.reached(sessionId, 'DISCONNECTED')).toMatchObject({
      statusReason: 'PLATFORM_REFUSED',
    });
    await stage.change(sessionId, 'connect');
    await stage.reached(sessionId, 'CONNECTED');
  });

  test('says so when the platform refuses it on its way back', async () => {
    const phone = '15550108012';
    const sessionId = await stage.link(phone);
    await faults(phone, { loginError: 403 });
    await disconnect(phone, { mode: 'drop' });
    await stage.reached(sessionId, 'DISCONNECTED');
    expect(await reasons(sessionId, 2)).toEqual(['CONNECTION_LOST', 'PLATFORM_REFUSED']);
  });

  test.each([
    ['answers 503', { upgradeStatus: 503 }, 'PLATFORM_ERROR', '15550108004'],
    ['answers 401', { upgradeStatus: 401 }, 'CONNECTION_REFUSED', '15550108010'],
    ['is not there', { portClosed: true }, 'CONNECTION_REFUSED', '15550108011'],
  ])('tries again for as long as the door of the platform %s', async (_what, door, reason, phone) => {
    const sessionId = await stage.link(phone);
    await stage.platform.call('PUT', '/faults', door);
    await disconnect(phone, { mode: 'drop' });
    await waitFor('a refusal', async () => (await stage.get(sessionId)).statusReason === reason, LONG_MS);
    await stage.platform.call('DELETE', '/faults');
    await stage.reached(sessionId, 'CONNECTED');
    // Tenants saw one connected session lost, whatever else failed meanwhile.
    expect(await reasons(sessionId)).toEqual(['CONNECTION_LOST']);
  });

  test('gives up a login that is never answered, and tries another one', async () => {
    const phone = '15550108005';
    const sessionId = await stage.link(phone);
    await faults(phone, { login: 'never' });
    await disconnect(phone, { mode: 'drop' });
    await waitFor(
      'the login to be given up',
      async () => (await stage.get(sessionId)).statusReason === 'LOGIN_TIMEOUT',
      LONG_MS,
    );
    await faults(phone, { login: 'auto' });
    await stage.reached(sessionId, 'CONNECTED');
  });
});

describe('a session that its tenant disconnects', () => {
  const phone = '15550108006';
  let sessionId: string;

  beforeAll(async () => {
    sessionId = await stage.link(phone);
  });

  test('and logs out afterwards is told as logged out with its number', async () => {
    const number = '15550108013';
    const left = await stage.link(number);
    await stage.change(left, 'disconnect');
    await stage.reached(left, 'DISCONNECTED');
    await stage.change(left, 'logout');
    await stage.reached(left, 'LOGGED_OUT');
    const events = await waitFor('session.logged_out', () => {
      const all = stage.eventsOf('session.logged_out', left);
      return all.length > 0 && all;
    });
    expect(events).toMatchObject([{ phone: `+${number}`, reason: 'LOGOUT_REQUESTED', status: 'LOGGED_OUT' }]);
  });

  test('shows no QR code while it is connected', async () => {
    const asked = stage.worker.rpc.request(GetSessionQr, { tenantId: stage.tenantId, sessionId });
    await expect(asked).rejects.toMatchObject({ code: 'QR_CONFLICT', meta: { status: 'CONNECTED' } });
  });

  test('is not logged in anew by a second wish to be connected', async () => {
    const before = await device(phone);
    await stage.change(sessionId, 'connect');
    await waitFor('the wish to be carried out', async () => {
      const [row] = await stage.worker.database.query<{ open: boolean }>(
        'SELECT applied_version < wanted_version AS open FROM sessions.session WHERE id = $1',
        [sessionId],
      );
      return row?.open === false;
    });
    expect((await device(phone))?.connectedAt).toBe(before?.connectedAt);
  });

  test('leaves the platform, says why, and keeps its number', async () => {
    await stage.change(sessionId, 'disconnect');
    expect(await stage.reached(sessionId, 'DISCONNECTED')).toMatchObject({
      statusReason: 'USER_REQUEST',
      phone: `+${phone}`,
    });
    expect(await reasons(sessionId)).toEqual(['USER_REQUEST']);
    await waitFor('the device to be offline', async () => !(await device(phone))?.online);
  });

  test('keeps what its tenant set meanwhile', async () => {
    const request = { tenantId: stage.tenantId, sessionId, botMode: 'EXTERNAL' as const };
    expect((await stage.worker.rpc.request(SetBotMode, request)).session.botMode).toBe('EXTERNAL');
    expect((await stage.get(sessionId)).botMode).toBe('EXTERNAL');
  });

  test('connects again without a QR code, also when nobody told its owner', async () => {
    // The wish alone, as when NATS did not take the command.
    await stage.worker
      .get(DataSource)
      .query(`UPDATE session SET wanted = 'CONNECTED', wanted_version = wanted_version + 1 WHERE id = $1`, [
        sessionId,
      ]);
    await stage.reached(sessionId, 'CONNECTED');
    expect(stage.eventsOf('session.qr_generated', sessionId)).toHaveLength(1);
  });
});

describe('messages that wait', () => {
  /** A session that is linked and disconnected, with a message that waits for it. */
  async function waiting(phone: string): Promise<{ sessionId: string; jobId: string }> {
    const sessionId = await stage.link(phone);
    await stage.change(sessionId, 'disconnect');
    await stage.reached(sessionId, 'DISCONNECTED');
    const jobId = await stage.send(sessionId, '15550208001', 'later');
    await waitFor('the message to wait', async () => {
      const rows = await stage.worker.database.query(
        `SELECT 1 FROM sessions.outbound_message WHERE job_id = $1 AND status = 'QUEUED'`,
        [jobId],
      );
      return rows.length === 1;
    });
    return { sessionId, jobId };
  }

  test('fail with the session that is deleted', async () => {
    const { sessionId, jobId } = await waiting('15550108007');
    await stage.change(sessionId, 'delete');
    expect(await stage.event('message.failed', jobId)).toMatchObject({
      failure: { code: 'SESSION_DELETED' },
    });
  });

  test('fail with the session that is logged out, also while the platform cannot be reached', async () => {
    const { sessionId, jobId } = await waiting('15550108008');
    await stage.platform.call('PUT', '/faults', { upgradeStatus: 503 });
    await stage.change(sessionId, 'logout');
    expect(await stage.reached(sessionId, 'LOGGED_OUT')).toMatchObject({
      statusReason: 'LOGOUT_REQUESTED',
      phone: null,
    });
    expect(await stage.event('message.failed', jobId)).toMatchObject({
      failure: { code: 'SESSION_LOGGED_OUT' },
    });
  });

  test('go out in order once the session is connected', async () => {
    const { sessionId } = await waiting('15550108009');
    await stage.send(sessionId, '15550208001', 'and later still');
    await stage.change(sessionId, 'connect');
    const texts = async () => (await stage.platform.inbox('15550208001')).map(({ text }) => text);
    await waitFor('both texts', async () => (await texts()).length === 2, LONG_MS);
    expect(await texts()).toEqual(['later', 'and later still']);
  });
});
