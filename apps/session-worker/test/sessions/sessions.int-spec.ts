import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  ChangeSession,
  CountSessions,
  CreateSession,
  GetSession,
  GetSessionQr,
  ListSessions,
  SetBotMode,
} from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { Stage } from '../support.js';

let stage: Stage;

/** Time that one view of a QR code counts here, in ms. */
const LOOK_MS = 8_000;

beforeAll(async () => {
  stage = await Stage.start({ QR_LOOK_MS: String(LOOK_MS) });
});
afterAll(() => stage.stop());

describe('a session', () => {
  test('of a sandbox is not made where there is none: it would reach the real platform', async () => {
    const ref = { tenantId: stage.tenantId, sessionId: randomUUID() };
    const request = { ...ref, name: 'test', sandbox: true };
    await expect(stage.worker.rpc.request(CreateSession, request)).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
    });
    await expect(stage.worker.rpc.request(GetSession, ref)).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
  });

  test('that is deleted stays so, though somebody connects it at the same moment', async () => {
    const race = async (): Promise<void> => {
      const sessionId = await stage.create();
      const ref = { tenantId: stage.tenantId, sessionId };
      const wish = (action: 'delete' | 'connect') =>
        stage.worker.rpc.request(ChangeSession, { ...ref, action }).catch(() => undefined);
      await Promise.all([wish('delete'), ...Array.from({ length: 4 }, () => wish('connect'))]);
      await expect(stage.worker.rpc.request(GetSession, ref)).rejects.toMatchObject({
        code: 'SESSION_NOT_FOUND',
      });
    };
    for (let times = 0; times < 10; times += 1) await race();
  });

  test('shows a QR code while somebody looks, and rests when nobody does any more', async () => {
    const sessionId = await stage.create();
    const lookedAtUntil = async (): Promise<number> => {
      const [row] = await stage.worker.database.query<{ until: Date }>(
        'SELECT looked_at_until AS until FROM sessions.session WHERE id = $1',
        [sessionId],
      );
      return row?.until.getTime() ?? 0;
    };
    const first = await lookedAtUntil();
    await waitFor('a look that counts longer than the first one', async () => {
      expect(await stage.qr(sessionId)).toContain(',');
      return (await lookedAtUntil()) > first + LOOK_MS / 2;
    });
    const rested = await stage.reached(sessionId, 'DISCONNECTED');
    expect(rested).toMatchObject({ statusReason: 'QR_EXPIRED' });
    expect(new Date(rested.statusSince).getTime()).toBeGreaterThanOrEqual(await lookedAtUntil());
    await waitFor('session.disconnected', () => stage.eventsOf('session.disconnected', sessionId)[0]);
    expect(stage.eventsOf('session.disconnected', sessionId)).toMatchObject([{ reason: 'QR_EXPIRED' }]);
    await expect(
      stage.worker.rpc.request(GetSessionQr, { tenantId: stage.tenantId, sessionId }),
    ).rejects.toMatchObject({ code: 'QR_CONFLICT', meta: { status: 'DISCONNECTED' } });
    await stage.change(sessionId, 'connect');
    await stage.qr(sessionId);
    await stage.change(sessionId, 'delete');
  });

  test('reconnects by itself when the platform drops it, and says so', async () => {
    const phone = '15550101002';
    const sessionId = await stage.link(phone);
    await stage.platform.call('POST', `/accounts/${phone}/disconnect`, { mode: 'drop' });
    await waitFor('session.disconnected', () => stage.eventsOf('session.disconnected', sessionId)[0]);
    await waitFor(
      'second session.connected',
      () => stage.eventsOf('session.connected', sessionId).length === 2,
    );
    expect(stage.eventsOf('session.disconnected', sessionId)).toMatchObject([{ reason: 'CONNECTION_LOST' }]);
  });

  test('is logged out when the phone unlinks it: secrets gone, event told, link possible again', async () => {
    const phone = '15550101003';
    const sessionId = await stage.link(phone);
    await stage.platform.call('POST', `/accounts/${phone}/unlink`);
    const session = await stage.reached(sessionId, 'LOGGED_OUT');
    expect(session).toMatchObject({ statusReason: 'UNLINKED', phone: null });
    await waitFor('session.logged_out', () => stage.eventsOf('session.logged_out', sessionId)[0]);
    const left = await stage.worker.database.query(
      'SELECT 1 FROM sessions.signal_key WHERE session_id = $1',
      [sessionId],
    );
    expect(left).toEqual([]);
    await stage.change(sessionId, 'connect');
    await stage.platform.call('POST', `/accounts/${phone}/scan`, { qr: await stage.qr(sessionId) });
    await stage.reached(sessionId, 'CONNECTED');
  });

  test('unlinks on the platform when the tenant logs it out', async () => {
    const phone = '15550101004';
    const sessionId = await stage.link(phone);
    await stage.change(sessionId, 'logout');
    await stage.reached(sessionId, 'LOGGED_OUT');
    const account = await stage.platform.call<{ devices: unknown[] }>('GET', `/accounts/${phone}`);
    expect(account.devices).toEqual([]);
  });

  test('does not fight when somebody else holds the number: replaced means stop', async () => {
    const phone = '15550101005';
    const sessionId = await stage.link(phone);
    await stage.platform.call('POST', `/accounts/${phone}/disconnect`, { mode: 'stream-error', code: 440 });
    const session = await waitFor('an end', async () => {
      const now = await stage.get(sessionId);
      return now.status === 'DISCONNECTED' && now;
    });
    expect(session.statusReason).toBe('REPLACED');
  });

  test('forgets its secrets and leaves the phone when it is logged out after it was replaced', async () => {
    const phone = '15550101006';
    const sessionId = await stage.link(phone);
    await stage.platform.call('POST', `/accounts/${phone}/disconnect`, { mode: 'stream-error', code: 440 });
    await stage.reached(sessionId, 'DISCONNECTED');
    await stage.change(sessionId, 'logout');
    await stage.reached(sessionId, 'LOGGED_OUT');
    await waitFor('session.logged_out', () => stage.eventsOf('session.logged_out', sessionId)[0]);
    const secrets = await stage.worker.database.query(
      `SELECT 1 FROM sessions.signal_key WHERE session_id = $1 UNION ALL
       SELECT 1 FROM sessions.credential WHERE session_id = $1`,
      [sessionId],
    );
    expect(secrets).toEqual([]);
    const account = await stage.platform.call<{ devices: unknown[] }>('GET', `/accounts/${phone}`);
    expect(account.devices).toEqual([]);
  });

  test('says so when its credentials cannot be read, and connects once they can', async () => {
    const phone = '15550101007';
    const sessionId = await stage.link(phone);
    await stage.change(sessionId, 'disconnect');
    await stage.reached(sessionId, 'DISCONNECTED');
    const flip = `UPDATE sessions.credential SET sealed = set_byte(sealed, 20, 255 - get_byte(sealed, 20))
      WHERE session_id = $1`;
    await stage.worker.database.query(flip, [sessionId]);
    await stage.change(sessionId, 'connect');
    await waitFor(
      'the reason',
      async () => (await stage.get(sessionId)).statusReason === 'CREDENTIALS_UNREADABLE',
    );
    expect((await stage.get(sessionId)).status).toBe('DISCONNECTED');
    await stage.worker.database.query(flip, [sessionId]);
    await stage.change(sessionId, 'connect');
    await stage.reached(sessionId, 'CONNECTED');
  });

  test('takes the texts of its people with it when it is deleted', async () => {
    const phone = '15550101008';
    const sessionId = await stage.link(phone);
    const contact = '15550201008';
    await stage.send(sessionId, contact, 'out');
    await stage.platform.call('POST', `/contacts/${contact}/messages`, { to: phone, text: 'in' });
    await waitFor('both', () =>
      ['message.delivered', 'message.received'].every((name) => stage.eventsOf(name, sessionId).length === 1),
    );
    await stage.change(sessionId, 'delete');
    await waitFor('nothing to be left', async () => {
      const rows = await stage.worker.database.query(
        `SELECT 1 FROM sessions.outbound_message WHERE session_id = $1 UNION ALL
         SELECT 1 FROM sessions.inbound_message WHERE session_id = $1 UNION ALL
         SELECT 1 FROM sessions.session WHERE id = $1`,
        [sessionId],
      );
      return rows.length === 0;
    });
    // Services with data of the session get an event that it is gone.
    await waitFor('session.deleted', () => stage.eventsOf('session.deleted', sessionId)[0]);
    expect(stage.eventsOf('session.deleted', sessionId)).toHaveLength(1);
  });

  test('is gone for its tenant the moment it is deleted', async () => {
    const sessionId = await stage.create();
    await stage.change(sessionId, 'delete');
    await expect(stage.get(sessionId)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    await waitFor('the row to go', async () => {
      const rows = await stage.worker.database.query('SELECT 1 FROM sessions.session WHERE id = $1', [
        sessionId,
      ]);
      return rows.length === 0;
    });
  });
});

test('the event of a deletion says who wished it first', async () => {
  const sessionId = await stage.create();
  const wish = (actor: string) =>
    stage.worker.rpc
      .request(ChangeSession, { tenantId: stage.tenantId, sessionId, action: 'delete', actor })
      .catch(() => undefined);
  await wish('key:ada');
  await wish('key:bob');
  const [event] = await waitFor('session.deleted', () => {
    const events = stage.eventsOf('session.deleted', sessionId);
    return events.length > 0 && events;
  });
  expect(event).toEqual({ sessionId, actor: 'key:ada', timestamp: expect.any(String) });
});

describe('other tenants', () => {
  test('neither read nor change a session', async () => {
    const sessionId = await stage.create();
    const stranger = { tenantId: randomUUID(), sessionId };
    for (const ask of [
      stage.worker.rpc.request(GetSession, stranger),
      stage.worker.rpc.request(GetSessionQr, stranger),
      stage.worker.rpc.request(SetBotMode, { ...stranger, botMode: 'EXTERNAL' }),
    ]) {
      await expect(ask).rejects.toMatchObject({ code: 'FORBIDDEN' });
    }
    const { sessions } = await stage.worker.rpc.request(ListSessions, {
      tenantId: stranger.tenantId,
      limit: 10,
    });
    expect(sessions).toEqual([]);
  });

  test('cannot take a session over by creating one of the same id', async () => {
    const sessionId = await stage.create();
    await expect(
      stage.worker.rpc.request(CreateSession, { tenantId: randomUUID(), sessionId, name: 'mine now' }),
    ).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});

describe('a tenant that may have so many sessions', () => {
  const create = (tenantId: string, most?: number, sessionId: string = randomUUID()) =>
    stage.worker.rpc.request(
      CreateSession,
      { tenantId, sessionId, name: 'n', ...(most && { most }) },
      20_000,
    );

  test('gets that many, however many it asks for at once', async () => {
    const tenantId = randomUUID();
    const answers = await Promise.allSettled(Array.from({ length: 12 }, () => create(tenantId, 5)));
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    expect(await stage.worker.rpc.request(CountSessions, { tenantId })).toMatchObject({ count: 5 });
    await expect(create(tenantId, 5)).rejects.toMatchObject({
      ...{
        code: 'RATE_LIMITED',
        message: expect.stringMatching(
          /room for 5\. Waiting does not help.*: delete a session, or take a larger plan\.$/,
        ),
      },
      meta: { layer: 'plan', limit: 5, used: 5 },
    });
    await expect(create(randomUUID(), 5)).resolves.toBeDefined();
  });

  test('gets another one when one is deleted, and keeps the one it asks for twice', async () => {
    const [tenantId, first] = [randomUUID(), randomUUID()];
    await create(tenantId, 1, first);
    await create(tenantId, 1, first);
    await expect(create(tenantId, 1)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    const wish = { tenantId, sessionId: first, action: 'delete' as const };
    await stage.worker.rpc.request(ChangeSession, wish);
    await expect(create(tenantId, 1)).resolves.toBeDefined();
  });

  test('without a bound gets any number', async () => {
    const tenantId = randomUUID();
    await Promise.all(Array.from({ length: 25 }, () => create(tenantId)));
    expect(await stage.worker.rpc.request(CountSessions, { tenantId })).toMatchObject({ count: 25 });
  });
});

test('a session is told how many of its tenant are older: those of one moment by id, and no deleted ones', async () => {
  const tenantId = randomUUID();
  const { rpc, database } = stage.worker;
  const create = async (of: string, sessionId: string = randomUUID()) => {
    await rpc.request(CreateSession, { tenantId: of, sessionId, name: 'n' });
    return sessionId;
  };
  const older = async (sessionId: string) => (await rpc.request(GetSession, { tenantId, sessionId })).older;
  // Ids against the order of creation, and of one moment.
  const [first, second, third] = [
    await create(tenantId, '0198c0de-0000-7000-8000-0000000000f3'),
    await create(tenantId, '0198c0de-0000-7000-8000-0000000000f1'),
    await create(tenantId, '0198c0de-0000-7000-8000-0000000000f2'),
  ];
  await create(randomUUID());
  expect(await Promise.all([first, second, third].map(older))).toEqual([0, 1, 2]);
  await database.query(`UPDATE sessions.session SET created_at = now() WHERE tenant_id = $1`, [tenantId]);
  expect(await Promise.all([first, second, third].map(older))).toEqual([2, 0, 1]);
  await rpc.request(ChangeSession, { tenantId, sessionId: second, action: 'delete' });
  expect(await Promise.all([first, third].map(older))).toEqual([1, 0]);
  await Promise.all(Array.from({ length: 25 }, () => create(tenantId)));
  const youngest = await create(tenantId);
  expect(await older(youngest)).toBe(27);
  // The count ends at the number of the question, which knows how many sessions the tenant may have.
  const upTo = async (countOlderTo: number) =>
    (await rpc.request(GetSession, { tenantId, sessionId: youngest, countOlderTo })).older;
  expect(await Promise.all([upTo(0), upTo(20), upTo(50)])).toEqual([0, 20, 27]);
});
