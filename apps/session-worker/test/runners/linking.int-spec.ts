import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { GetSessionQr, type PairingCode, RequestPairingCode } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { LONG_MS, Stage } from '../support.js';

let stage: Stage;

/** Time that one view of a QR code counts here, and time that all views together count, in ms. */
const LOOK_MS = 20_000;
const LINK_MS = 26_000;

beforeAll(async () => {
  stage = await Stage.start({ QR_LOOK_MS: String(LOOK_MS), LINK_TIMEOUT_MS: String(LINK_MS) });
});
afterAll(() => stage.stop());

const codeFor = (sessionId: string, phone: string): Promise<PairingCode> =>
  stage.worker.rpc.request(RequestPairingCode, { tenantId: stage.tenantId, sessionId, phone }, LONG_MS);
const type = (phone: string, code: string): Promise<unknown> =>
  stage.platform.call('POST', `/accounts/${phone}/code`, { code });

/** Links a session by the code that it shows for this number. */
async function linkByCode(sessionId: string, phone: string): Promise<void> {
  await type(phone, (await codeFor(sessionId, phone)).code);
  expect(await stage.reached(sessionId, 'CONNECTED')).toMatchObject({ phone: `+${phone}` });
}

describe('a session that shows a code to type', () => {
  test('is linked when the phone types it, and works: it can write and be written to', async () => {
    const [phone, contact] = ['15550110001', '15550210001'];
    const sessionId = await stage.create();
    const { code, expiresAt } = await codeFor(sessionId, phone);
    expect(code).toMatch(/^[A-Z1-9]{8}$/);
    expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(LOOK_MS);
    expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now());
    await type(phone, code);
    await stage.reached(sessionId, 'CONNECTED');
    const jobId = await stage.send(sessionId, contact, 'out');
    await stage.event('message.delivered', jobId);
    await stage.platform.call('POST', `/contacts/${contact}/messages`, { to: phone, text: 'in' });
    await waitFor('message.received', () => stage.eventsOf('message.received', sessionId)[0], LONG_MS);
  });

  test('shows the same one to whoever asks again, and another one for another number', async () => {
    const sessionId = await stage.create();
    const first = await codeFor(sessionId, '15550110002');
    expect(await codeFor(sessionId, '15550110002')).toEqual(first);
    const other = await codeFor(sessionId, '15550110003');
    expect(other.code).not.toBe(first.code);
    await expect(type('15550110002', first.code)).rejects.toThrow('CODE_NOT_REQUESTED');
    await type('15550110003', other.code);
    expect(await stage.reached(sessionId, 'CONNECTED')).toMatchObject({ phone: '+15550110003' });
  });

  test('shows QR codes beside it: whoever changes their mind scans', async () => {
    const phone = '15550110004';
    const sessionId = await stage.create();
    await stage.qr(sessionId);
    await codeFor(sessionId, '15550110005');
    await stage.scan(sessionId, phone);
    expect(await stage.get(sessionId)).toMatchObject({ phone: `+${phone}` });
  });

  test('rests when nobody types it, says why, and is linked under the same id later', async () => {
    const phone = '15550110006';
    const sessionId = await stage.create();
    const { code } = await codeFor(sessionId, phone);
    expect(await stage.reached(sessionId, 'DISCONNECTED')).toMatchObject({ statusReason: 'QR_EXPIRED' });
    expect(await stage.firstLoss(sessionId)).toBe('QR_EXPIRED');
    await expect(type(phone, code)).rejects.toThrow('CODE_NOT_REQUESTED');
    await linkByCode(sessionId, phone);
  });

  test('is linked anew after the phone has unlinked it', async () => {
    const phone = '15550110007';
    const sessionId = await stage.link(phone);
    await stage.platform.call('POST', `/accounts/${phone}/unlink`);
    await stage.reached(sessionId, 'LOGGED_OUT');
    await linkByCode(sessionId, phone);
    await stage.change(sessionId, 'logout');
    await stage.reached(sessionId, 'LOGGED_OUT');
    await stage.change(sessionId, 'connect');
    await stage.scan(sessionId, phone);
  });

  test('refuses while it is linked, connected or not', async () => {
    const phone = '15550110008';
    const sessionId = await stage.link(phone);
    const refused = { code: 'ALREADY_LINKED', meta: { phone: `+${phone}` } };
    await expect(codeFor(sessionId, '15550110009')).rejects.toMatchObject(refused);
    await stage.change(sessionId, 'disconnect');
    await stage.reached(sessionId, 'DISCONNECTED');
    await expect(codeFor(sessionId, '15550110009')).rejects.toMatchObject(refused);
  });

  test('says so in bounded time when the platform cannot be reached', async () => {
    const sessionId = await stage.create();
    await stage.platform.call('PUT', '/faults', { upgradeStatus: 503 });
    try {
      await expect(codeFor(sessionId, '15550110010')).rejects.toMatchObject({ code: 'PLATFORM_UNAVAILABLE' });
    } finally {
      await stage.platform.call('DELETE', '/faults');
    }
  });
});

test('a screen that looks at the QR code for ever does not keep it coming for ever', async () => {
  const sessionId = await stage.create();
  const began = Date.now();
  await waitFor(
    'the session to rest although somebody looks',
    async () => {
      const look = stage.worker.rpc.request(GetSessionQr, { tenantId: stage.tenantId, sessionId });
      await look.catch(() => undefined);
      return (await stage.get(sessionId)).statusReason === 'QR_EXPIRED';
    },
    LONG_MS,
  );
  expect(Date.now() - began).toBeGreaterThan(LOOK_MS);
});
