import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { GetSessionQr, type PairingCode, RequestPairingCode } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { LONG_MS, Stage } from '../support.js';

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.start({ DEVICE_NAME: 'Acme Gateway' });
});
afterAll(() => stage.stop());

interface Notice {
  about: string;
  acked: boolean;
}

const rules = (phone: string, change: object): Promise<unknown> =>
  stage.platform.call('PUT', `/accounts/${phone}/linking`, change);
const acked = (phone: string, ...about: string[]): Promise<unknown> =>
  waitFor(
    `acknowledgements of ${about.join(', ')}`,
    async () => {
      const { notices } = await stage.platform.call<{ notices: Notice[] }>(
        'GET',
        `/accounts/${phone}/linking`,
      );
      const told = notices.filter((one) => one.acked).map((one) => one.about);
      return JSON.stringify(told) === JSON.stringify(about);
    },
    LONG_MS,
  );
const scan = (phone: string, qr: string): Promise<unknown> =>
  stage.platform.call('POST', `/accounts/${phone}/scan`, { qr });
const codeFor = (sessionId: string, phone: string): Promise<PairingCode> =>
  stage.worker.rpc.request(RequestPairingCode, { tenantId: stage.tenantId, sessionId, phone }, LONG_MS);
const type = (phone: string, code: string): Promise<unknown> =>
  stage.platform.call('POST', `/accounts/${phone}/code`, { code });
const qrEvents = (sessionId: string): Record<string, unknown>[] =>
  stage.eventsOf('session.qr_generated', sessionId);

describe('a QR code', () => {
  test.each(['companion_reg_refresh', 'pair-device-rotate-qr'])(
    'is drawn anew and told anew as often as the platform orders it by %s, and then links',
    async (refreshChild) => {
      const phone = refreshChild === 'companion_reg_refresh' ? '15550119001' : '15550119002';
      await rules(phone, { refreshOnScan: 2, refreshChild });
      const sessionId = await stage.create();
      const first = await stage.qr(sessionId);
      await expect(scan(phone, first)).rejects.toThrow('SCAN_AGAIN');
      const redrawn = (count: number) => () =>
        qrEvents(sessionId).filter(({ reason }) => reason === 'refreshed')[count - 1];
      const second = await waitFor('the second code', redrawn(1), LONG_MS);
      expect(second['qr']).not.toBe(first);
      expect(String(second['qr']).split(',')[0]).toBe(first.split(',')[0]);
      const lifetime = Date.parse(String(second['expiresAt'])) - Date.parse(String(second['timestamp']));
      expect(Math.round(lifetime / 1_000)).toBe(30);
      expect(await stage.qr(sessionId)).toBe(second['qr']);
      await expect(scan(phone, String(second['qr']))).rejects.toThrow('SCAN_AGAIN');
      const third = await waitFor('the third code', redrawn(2), LONG_MS);
      // At most one a second, however often the platform orders it.
      const between = Date.parse(String(third['timestamp'])) - Date.parse(String(second['timestamp']));
      expect(between).toBeGreaterThanOrEqual(900);
      await scan(phone, String(third['qr']));
      expect(await stage.reached(sessionId, 'CONNECTED')).toMatchObject({ phone: `+${phone}` });
      await acked(phone, refreshChild, refreshChild);
      expect(qrEvents(sessionId)[0]).not.toHaveProperty('reason');
    },
  );

  test('links a device that the phone lists under the name that the operator gave it', async () => {
    const phone = '15550119008';
    await stage.link(phone);
    const account = await stage.platform.call('GET', `/accounts/${phone}`);
    expect(account).toMatchObject({ devices: [{ name: 'Acme Gateway' }] });
  });

  test('is followed by others on a new connection when the platform has ended the one that links nothing', async () => {
    await stage.platform.call('PUT', '/linking', { lifeMs: 1_000 });
    const sessionId = await stage.create();
    const first = await stage.qr(sessionId);
    await stage.platform.call('PUT', '/linking', { lifeMs: 210_000 });
    const other = await waitFor(
      'another code',
      async () => {
        const asked = stage.worker.rpc.request(GetSessionQr, { tenantId: stage.tenantId, sessionId });
        const code = await asked.catch(() => undefined);
        return code && code.qr !== first && code.qr;
      },
      LONG_MS,
    );
    await scan('15550119003', other);
    await stage.reached(sessionId, 'CONNECTED');
  });
});

describe('a code to type', () => {
  test('links although the device has a name of its own, an empty message comes first, and the QR code shall be drawn anew', async () => {
    const phone = '15550119004';
    await rules(phone, { precursor: true, refreshOnScan: 1 });
    const sessionId = await stage.create();
    await type(phone, (await codeFor(sessionId, phone)).code);
    expect(await stage.reached(sessionId, 'CONNECTED')).toMatchObject({ phone: `+${phone}` });
    await acked(phone, 'primary_hello', 'primary_hello', 'companion_reg_refresh');
  });

  test.each([false, true])(
    'is replaced by another one where the platform wants it (by hand: %s), which is shown to whoever asks',
    async (forceManualRefresh) => {
      const phone = forceManualRefresh ? '15550119005' : '15550119006';
      await rules(phone, { refreshCode: 1, forceManualRefresh });
      const sessionId = await stage.create();
      const { code } = await codeFor(sessionId, phone);
      await expect(type(phone, code)).rejects.toThrow('CODE_REFRESHED');
      const other = await waitFor(
        'another code',
        async () => {
          const shown = await codeFor(sessionId, phone);
          return shown.code !== code && shown.code;
        },
        LONG_MS,
      );
      const told = () => stage.eventsOf('session.pairing_code_replaced', sessionId);
      await waitFor('session.pairing_code_replaced', () => told().length > 0, LONG_MS);
      expect(told()).toMatchObject([{ expiresAt: expect.any(String) }]);
      expect(JSON.stringify(told())).not.toContain(other);
      await type(phone, other);
      await stage.reached(sessionId, 'CONNECTED');
      await acked(phone, 'refresh_code', 'primary_hello');
    },
  );

  test('is refused for good where the platform does not take the name of the device', async () => {
    const phone = '15550119007';
    await rules(phone, { systems: ['Windows'] });
    const sessionId = await stage.create();
    await expect(codeFor(sessionId, phone)).rejects.toMatchObject({ code: 'DEVICE_NAME_REFUSED' });
  });
});
