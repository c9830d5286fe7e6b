import { beforeEach, expect, test } from '@jest/globals';
import type { Envelope } from '@svc/contracts';
import type { StatusChange } from '../sessions/session-rows.js';
import { StatusLog } from './status-log.js';

const EXPIRES = new Date('2026-01-31T12:10:00.000Z');
const CHALLENGE = { options: { challenge: 'Y2hhbGxlbmdl' }, expiresAt: EXPIRES };

let written: [StatusChange, Envelope[]][];
let status: StatusLog;

beforeEach(() => {
  written = [];
  const session = { id: 'session', tenantId: 'tenant', status: 'AWAITING_SCAN' as const, phone: null };
  status = new StatusLog(session, async (change, events) => void written.push([change, events]));
});

/** Lists status and reason of each write, with what was told. */
const seen = (): string[] =>
  written.map(([change, events]) => {
    const told = events.map(({ type, data }) => {
      const { stage, reason } = data as { stage?: string; reason?: string };
      return [type, stage, reason].filter(Boolean).join(' ');
    });
    return [`${change.status} ${change.reason}`, ...told].join(', ');
  });

test('each step of a link with a passkey is told, and its end leaves the state', async () => {
  await status.passkey({ stage: 'challenge', ...CHALLENGE });
  await status.passkey({ stage: 'sent', ...CHALLENGE });
  await status.passkey({ stage: 'compare', ...CHALLENGE, code: 'ABCD-2345' });
  await status.passkey({ stage: 'linked' });
  await status.connecting(true, 'RESTART_REQUIRED');
  expect(seen()).toEqual([
    'PASSKEY_REQUIRED PASSKEY_ASKED, session.passkey_required',
    'PASSKEY_REQUIRED PASSKEY_ASKED, session.passkey_changed sent',
    'PASSKEY_REQUIRED PASSKEY_ASKED, session.passkey_changed compare',
    'CONNECTING LINKED, session.passkey_changed linked',
    'CONNECTING RESTART_REQUIRED',
  ]);
});

test('that a typed code was replaced is told beside the QR code, which stays, and not once the number is linked', async () => {
  await status.awaitingScan('QR 1', EXPIRES, false);
  await status.codeReplaced('2026-01-31T12:02:00.000Z');
  await status.codeReplaced(undefined);
  const [, replaced, gone] = written;
  expect(replaced?.[0]).toMatchObject({ status: 'AWAITING_SCAN', qr: { code: 'QR 1' } });
  expect([replaced, gone].map((one) => one?.[1][0]?.data)).toMatchObject([
    { expiresAt: '2026-01-31T12:02:00.000Z' },
    expect.not.objectContaining({ expiresAt: expect.anything() }),
  ]);
  await status.connected('15550100001');
  await status.codeReplaced(undefined);
  expect(written).toHaveLength(4);
});

test('neither challenge nor code is written or told', async () => {
  await status.passkey({ stage: 'challenge', ...CHALLENGE });
  await status.passkey({ stage: 'compare', ...CHALLENGE, code: 'ABCD-2345' });
  expect(JSON.stringify(written)).not.toMatch(/ABCD-2345|Y2hhbGxlbmdl/);
});

test('a link with a passkey that came to nothing is told with its reason, once', async () => {
  await status.passkey({ stage: 'challenge', ...CHALLENGE });
  await status.passkey({ stage: 'failed', reason: 'PHONE_SILENT' });
  await status.connecting(true, 'PASSKEY_FAILED');
  expect(seen().slice(1)).toEqual([
    'CONNECTING PASSKEY_FAILED, session.passkey_changed failed PHONE_SILENT',
    'CONNECTING PASSKEY_FAILED',
  ]);
});

test.each(['MAINTENANCE', 'USER_REQUEST'] as const)(
  'one that is left on the way (%s) is told as lost',
  async (reason) => {
    await status.passkey({ stage: 'challenge', ...CHALLENGE });
    await status.disconnected('DISCONNECTED', reason);
    expect(seen().at(-1)).toBe(`DISCONNECTED ${reason}, session.passkey_changed failed CONNECTION_LOST`);
  },
);

test('one whose worker has vanished is told as lost by the next owner', async () => {
  const session = { id: 'session', tenantId: 'tenant', status: 'PASSKEY_REQUIRED' as const, phone: null };
  status = new StatusLog(session, async (change, events) => void written.push([change, events]));
  await status.connecting(true, 'CONNECT_REQUESTED');
  expect(seen()).toEqual(['CONNECTING CONNECT_REQUESTED, session.passkey_changed failed CONNECTION_LOST']);
});

test('a ban is told with its end, once, and so is one that follows on it', async () => {
  await status.connected('15550100001');
  const ends = [EXPIRES, EXPIRES, new Date(EXPIRES.getTime() + 3_600_000)];
  for (const until of ends) await status.disconnected('RECONNECTING', 'TEMPORARILY_BANNED', { until });
  const told = written
    .slice(1)
    .map(([, events]) => events.map(({ data }) => (data as { until?: string }).until));
  expect(told).toEqual([['2026-01-31T12:10:00.000Z'], [], ['2026-01-31T13:10:00.000Z']]);
});

/** Lists what was told under a name. */
const told = (name: string): object[] =>
  written.flatMap(([, events]) => events.filter(({ type }) => type === name).map(({ data }) => data));
const live = (): StatusLog =>
  new StatusLog(
    { id: 'session', tenantId: 'tenant', status: 'CONNECTED', phone: '+15550100001' },
    async (change, events) => void written.push([change, events]),
  );

test('an end says whether the session comes back by itself, and names the number, whoever held it before', async () => {
  await live().disconnected('RECONNECTING', 'WORKER_LOST');
  await live().disconnected('DISCONNECTED', 'REPLACED', { stops: true });
  await live().loggedOut('UNLINKED');
  const phone = '+15550100001';
  expect(told('session.disconnected')).toMatchObject([
    {
      phone,
      willReconnect: true,
      status: 'RECONNECTING',
      reason: 'WORKER_LOST',
      statusReason: 'WORKER_LOST',
    },
    { phone, willReconnect: false, status: 'DISCONNECTED', reason: 'REPLACED', statusReason: 'REPLACED' },
  ]);
  expect(told('session.logged_out')).toMatchObject([
    { phone, status: 'LOGGED_OUT', reason: 'UNLINKED', statusReason: 'UNLINKED' },
  ]);
});

test('an end is told also where the session was about to connect anew, and nobody was told of that', async () => {
  status = live();
  await status.connecting(true, 'RESTART_REQUIRED');
  await status.disconnected('RECONNECTING', 'LOGIN_TIMEOUT');
  await status.disconnected('RECONNECTING', 'LOGIN_TIMEOUT');
  expect(told('session.disconnected')).toMatchObject([{ reason: 'LOGIN_TIMEOUT' }]);
});

test('doubts are written once each way and told to nobody; the end of a doubted session is', async () => {
  status = live();
  await status.doubted(undefined);
  await status.doubted('UNANSWERED');
  expect(status.isLive).toBe(true);
  await status.doubted(undefined);
  await status.doubted('KEEP_ALIVE_TIMEOUT');
  await status.disconnected('RECONNECTING', 'KEEP_ALIVE_TIMEOUT');
  await status.doubted('UNANSWERED');
  expect(seen()).toEqual([
    'DEGRADED UNANSWERED',
    'CONNECTED LOGGED_IN',
    'DEGRADED KEEP_ALIVE_TIMEOUT',
    'RECONNECTING KEEP_ALIVE_TIMEOUT, session.disconnected KEEP_ALIVE_TIMEOUT',
  ]);
});
