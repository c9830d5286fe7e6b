import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  AnswerPasskey,
  ConfirmPasskey,
  GetPasskey,
  GiveUpPasskey,
  type PasskeyAssertion,
  type PasskeyView,
  RequestPairingCode,
} from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { LONG_MS, Stage } from '../support.js';

let stage: Stage;
let lastPhone = 15550120000;

beforeAll(async () => {
  stage = await Stage.start({ DEVICE_NAME: 'Acme Gateway' });
});
afterAll(() => stage.stop());

interface PhoneView {
  stage: string;
  problem: string | null;
  code: string | null;
  proofTaken: boolean;
}

/** A session that was scanned with a phone whose account wants a passkey. */
interface Link {
  sessionId: string;
  phone: string;
}

const refOf = ({ sessionId }: Link) => ({ tenantId: stage.tenantId, sessionId });
const view = (link: Link): Promise<PasskeyView> => stage.worker.rpc.request(GetPasskey, refOf(link), LONG_MS);
const answer = (link: Link, assertion: PasskeyAssertion): Promise<PasskeyView> =>
  stage.worker.rpc.request(AnswerPasskey, { ...refOf(link), assertion }, LONG_MS);
const confirm = (link: Link, code: string): Promise<PasskeyView> =>
  stage.worker.rpc.request(ConfirmPasskey, { ...refOf(link), code }, LONG_MS);
const giveUp = (link: Link): Promise<object> => stage.worker.rpc.request(GiveUpPasskey, refOf(link), LONG_MS);
const phoneOf = ({ phone }: Link): Promise<PhoneView> =>
  stage.platform.call('GET', `/accounts/${phone}/passkey`);
const browser = ({ phone }: Link, options: object, more: object = {}): Promise<PasskeyAssertion> =>
  stage.platform.call('POST', `/accounts/${phone}/passkey/answer`, { options, ...more });
const confirmOnPhone = ({ phone }: Link, code: string): Promise<unknown> =>
  stage.platform.call('POST', `/accounts/${phone}/passkey/confirm`, { code });
const events = ({ sessionId }: Link): unknown[] =>
  stage.eventsOf('session.passkey_changed', sessionId).map(({ stage: step, reason }) => reason ?? step);

/** Scans the code of a session with a phone whose account wants a passkey. */
async function scan(link: Link): Promise<void> {
  const qr = await stage.qr(link.sessionId);
  const scanned = stage.platform.call('POST', `/accounts/${link.phone}/scan`, { qr });
  await expect(scanned).rejects.toThrow('PASSKEY_REQUIRED');
  await stage.reached(link.sessionId, 'PASSKEY_REQUIRED');
}

async function asked(rules: object = {}): Promise<Link> {
  const phone = String(++lastPhone);
  await stage.platform.call('PUT', `/accounts/${phone}/linking`, { passkey: 'always', ...rules });
  const link = { sessionId: await stage.create(), phone };
  await scan(link);
  return link;
}

/** Waits until the phone has gone on, or the link has ended. @throws AppError where it has ended. */
async function afterSent(link: Link): Promise<PasskeyView> {
  const now = await waitFor(
    'the phone',
    async () => {
      const one = await view(link).catch((error: unknown) => ({ error }));
      return 'error' in one || one.stage !== 'sent' ? one : false;
    },
    LONG_MS,
  );
  if ('error' in now) throw now.error;
  return now;
}

/** Answers the challenge, and waits for the code. */
async function compared(link: Link): Promise<string> {
  await answer(link, await browser(link, (await view(link)).options));
  return String((await afterSent(link)).code);
}

/** Goes from the challenge to the end, as people do. */
async function finish(link: Link): Promise<void> {
  const code = await compared(link);
  expect((await phoneOf(link)).code).toBe(code);
  expect(await confirm(link, code)).toMatchObject({ stage: 'finishing' });
  await confirmOnPhone(link, code);
  expect(await stage.reached(link.sessionId, 'CONNECTED')).toMatchObject({ phone: `+${link.phone}` });
}

describe('a number whose account wants a passkey', () => {
  test('is linked when browser, gateway and phone have done their part, each step is told, and it works', async () => {
    const link = await asked();
    expect(await view(link)).toMatchObject({ stage: 'challenge', code: null });
    const [required] = stage.eventsOf('session.passkey_required', link.sessionId);
    expect(
      Math.round(
        (Date.parse(String(required?.['expiresAt'])) - Date.parse(String(required?.['timestamp']))) / 1_000,
      ),
    ).toBe(600);
    await finish(link);
    expect(events(link)).toEqual(['sent', 'compare', 'finishing', 'linked']);
    expect(await phoneOf(link)).toMatchObject({ stage: 'linked', problem: null });
    await expect(view(link)).rejects.toMatchObject({ code: 'PASSKEY_NOT_FOUND' });
    const jobId = await stage.send(link.sessionId, '15550220001', 'out');
    await stage.event('message.delivered', jobId);
  });

  test('is linked when the phone confirms before the gateway does', async () => {
    const link = await asked();
    const code = await compared(link);
    await confirmOnPhone(link, code);
    await confirm(link, code);
    await stage.reached(link.sessionId, 'CONNECTED');
  });

  test('is linked where the phone takes the proof of the secret that it was shown', async () => {
    const link = await asked({ acceptProof: true });
    const code = await compared(link);
    expect(await phoneOf(link)).toMatchObject({ proofTaken: true });
    await confirm(link, code);
    await stage.reached(link.sessionId, 'CONNECTED');
  });

  test('is linked where the challenge has to be asked for', async () => {
    await finish(await asked({ optionsMissing: true }));
  });

  test('is linked by a typed code', async () => {
    const phone = String(++lastPhone);
    await stage.platform.call('PUT', `/accounts/${phone}/linking`, { passkey: 'always' });
    const link = { sessionId: await stage.create(), phone };
    const request = { ...refOf(link), phone };
    const { code } = await stage.worker.rpc.request(RequestPairingCode, request, LONG_MS);
    const typed = stage.platform.call('POST', `/accounts/${phone}/code`, { code });
    await expect(typed).rejects.toThrow('PASSKEY_REQUIRED');
    await stage.reached(link.sessionId, 'PASSKEY_REQUIRED');
    await finish(link);
  });

  test('is asked again after it was unlinked, and linked again', async () => {
    const link = await asked();
    await finish(link);
    await stage.platform.call('POST', `/accounts/${link.phone}/unlink`);
    await stage.reached(link.sessionId, 'LOGGED_OUT');
    await stage.change(link.sessionId, 'connect');
    await scan(link);
    await finish(link);
  });

  test('shows no other code meanwhile', async () => {
    const link = await asked();
    await expect(
      stage.worker.rpc.request(RequestPairingCode, { ...refOf(link), phone: link.phone }, LONG_MS),
    ).rejects.toMatchObject({
      code: 'PASSKEY_CONFLICT',
    });
    const qrs = stage.eventsOf('session.qr_generated', link.sessionId).length;
    await finish(link);
    expect(stage.eventsOf('session.qr_generated', link.sessionId)).toHaveLength(qrs);
  });
});

describe('a step', () => {
  test('is taken once: a second answer finds the first', async () => {
    const link = await asked();
    const assertion = await browser(link, (await view(link)).options);
    const both = await Promise.allSettled([answer(link, assertion), answer(link, assertion)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const [refused] = both.filter((one) => one.status === 'rejected');
    expect(refused?.reason).toMatchObject({ code: 'PASSKEY_CONFLICT' });
    expect(await afterSent(link)).toMatchObject({ stage: 'compare' });
  });

  test.each([
    ['a stale challenge', { challenge: 'c3RhbGU' }, {}],
    ['another page', undefined, { origin: 'https://example.org' }],
    ['another site', undefined, { rpId: 'example.org' }],
    ['a person who was not verified', undefined, { isVerified: false }],
  ])('with the answer to %s stays here, and the right one is taken after it', async (_what, stale, more) => {
    const link = await asked();
    const { options } = await view(link);
    const wrong = await browser(link, stale ?? options, more);
    await expect(answer(link, wrong)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    expect(await phoneOf(link)).toMatchObject({ stage: 'asked', problem: null });
    await finish(link);
  });

  test('with another code than the one that is shown confirms nothing', async () => {
    const link = await asked();
    const code = await compared(link);
    const other = code.startsWith('A') ? 'BBBB-BBBB' : 'AAAA-AAAA';
    await expect(confirm(link, other)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    await confirm(link, code);
    await confirmOnPhone(link, code);
    await stage.reached(link.sessionId, 'CONNECTED');
  });

  test('that is not the next one is refused', async () => {
    const link = await asked();
    await expect(confirm(link, 'AAAA-AAAA')).rejects.toMatchObject({ code: 'PASSKEY_CONFLICT' });
  });
});

describe('a link that has come to nothing', () => {
  test.each(['prologue', 'nonce', 'pairing-request'])(
    'because the platform refused %s is told with the number of the platform, and a second try works',
    async (failAt) => {
      const link = await asked({ failAt, failCode: 418 });
      const failed = async (): Promise<void> => {
        await confirm(link, await compared(link));
      };
      const meta = { reason: 'REFUSED', platformCode: 418 };
      await expect(failed()).rejects.toMatchObject({ code: 'PASSKEY_ENDED', meta });
      await waitFor('the end', () => events(link).includes('REFUSED'), LONG_MS);
      await expect(view(link)).rejects.toMatchObject({ code: 'PASSKEY_ENDED', meta });
      await stage.platform.call('PUT', `/accounts/${link.phone}/linking`, { failAt: null });
      await stage.reached(link.sessionId, 'AWAITING_SCAN');
      await scan(link);
      await finish(link);
    },
  );

  test('because it was given up shows another QR code, and a second try works', async () => {
    const link = await asked();
    const { qr } = stage.eventsOf('session.qr_generated', link.sessionId).at(-1) ?? {};
    await giveUp(link);
    await expect(view(link)).rejects.toMatchObject({ code: 'PASSKEY_ENDED', meta: { reason: 'GIVEN_UP' } });
    expect(await stage.qr(link.sessionId)).not.toBe(qr);
    expect(await phoneOf(link)).toMatchObject({ stage: 'failed', problem: 'CONNECTION_LOST' });
    await scan(link);
    await finish(link);
  });

  test('because nobody answered in time says so, and a second try works', async () => {
    const link = await asked({ challengeMs: 1_000 });
    await waitFor('the end', () => events(link).includes('EXPIRED'), LONG_MS);
    await expect(view(link)).rejects.toMatchObject({ code: 'PASSKEY_ENDED', meta: { reason: 'EXPIRED' } });
    await stage.platform.call('PUT', `/accounts/${link.phone}/linking`, { challengeMs: 600_000 });
    await stage.reached(link.sessionId, 'AWAITING_SCAN');
    await scan(link);
    await finish(link);
  });

  test('because the connection ended says so, and a second try works', async () => {
    await stage.platform.call('PUT', '/linking', { lifeMs: 3_000 });
    const link = await asked({ keepsConnection: false });
    await stage.platform.call('PUT', '/linking', { lifeMs: 210_000 });
    await waitFor('the end', () => events(link).includes('CONNECTION_LOST'), LONG_MS);
    await expect(view(link)).rejects.toMatchObject({ meta: { reason: 'CONNECTION_LOST' } });
    await stage.reached(link.sessionId, 'AWAITING_SCAN');
    await scan(link);
    await finish(link);
  });

  test('because the session was disconnected says so once', async () => {
    const link = await asked();
    await stage.change(link.sessionId, 'disconnect');
    await stage.reached(link.sessionId, 'DISCONNECTED');
    await waitFor('the end', () => events(link).length > 0, LONG_MS);
    expect(events(link)).toEqual(['CONNECTION_LOST']);
    await expect(view(link)).rejects.toMatchObject({ code: 'PASSKEY_NOT_FOUND' });
  });
});

test('neither challenge nor code nor assertion is written to a table or told in an event', async () => {
  const link = await asked();
  const { options } = await view(link);
  const assertion = await browser(link, options);
  await answer(link, assertion);
  const { code } = await afterSent(link);
  const rows = await Promise.all(
    ['sessions.session', 'sessions.event_outbox'].map((table) =>
      stage.worker.database.query<{ row: string }>(`SELECT t::text AS row FROM ${table} t`),
    ),
  );
  const written = JSON.stringify([...rows.flat(), ...stage.events]);
  for (const secret of [String(options['challenge']), String(code), assertion.response.signature])
    expect(written).not.toContain(secret);
  await giveUp(link);
});
