import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Fault, PasskeyDevice } from '../support/passkey-device.js';
import { until } from '../support/phone-client.js';
import { type Answer, Stack } from '../support/stack.js';

interface View {
  stage: string;
  problem: string | null;
  code: string | null;
  proofTaken: boolean;
}

describe('an account that asks devices for its passkey', () => {
  let stack: Stack;
  let lastPhone = 4915550017000;

  beforeAll(async () => {
    stack = await Stack.start();
  });
  afterAll(() => stack.close());

  const view = async (phone: string): Promise<View> =>
    (await stack.get<View>(`/accounts/${phone}/passkey`)).body;
  const stageOf = (phone: string, stage: string): Promise<unknown> =>
    until(async () => (await view(phone)).stage === stage, `the stage ${stage}`);
  const assertionFor = async (
    phone: string,
    device: PasskeyDevice,
    more: object = {},
  ): Promise<{ rawId: string }> => {
    const options = await until(() => device.options, 'the challenge');
    const { status, body }: Answer<{ rawId: string }> = await stack.post(
      `/accounts/${phone}/passkey/answer`,
      {
        ...{ options },
        ...more,
      },
    );
    expect(status).toBe(200);
    return body;
  };
  const confirm = (phone: string, code: string): Promise<Answer<View & { code: string }>> =>
    stack.post(`/accounts/${phone}/passkey/confirm`, { code });
  /** A device whose QR code was scanned, and that was asked for the passkey. */
  const asked = async (
    rules: object = {},
    fault?: Fault,
  ): Promise<{ phone: string; device: PasskeyDevice }> => {
    const phone = String(++lastPhone);
    expect((await stack.put(`/accounts/${phone}/linking`, { passkey: 'always', ...rules })).status).toBe(200);
    const client = stack.client().connect();
    const device = new PasskeyDevice(client, fault);
    const qr = await until(() => client.qr, 'the QR code');
    const answer = await stack.post(`/accounts/${phone}/scan`, { qr });
    expect(answer).toMatchObject({ status: 409, body: { code: 'PASSKEY_REQUIRED' } });
    return { phone, device };
  };
  const refused = expect.objectContaining({ data: 400 });
  /** Goes as far as the codes. */
  const compared = async (phone: string, device: PasskeyDevice, withProof = false): Promise<string> => {
    await device.answer(await assertionFor(phone, device), { withProof });
    return device.compare();
  };

  test('links one that answers as its browser does, shows the code of the phone, and sends a new secret', async () => {
    const { phone, device } = await asked();
    expect(await view(phone)).toEqual({ stage: 'asked', problem: null, code: null, proofTaken: false });
    const code = await compared(phone, device);
    expect(await view(phone)).toMatchObject({ stage: 'compared', code });
    await device.finish();
    expect((await view(phone)).stage).toBe('finishing');
    expect((await confirm(phone, code)).status).toBe(200);
    expect(await device.client.closed()).toBe(515);
    await stageOf(phone, 'linked');
    device.client.connect();
    await device.client.opened();
  });

  test('takes what its owner says about the code before the device goes on as well', async () => {
    const { phone, device } = await asked();
    await confirm(phone, await compared(phone, device));
    await device.finish();
    expect(await device.client.closed()).toBe(515);
  });

  test('asks one with a typed code as well', async () => {
    const phone = String(++lastPhone);
    await stack.put(`/accounts/${phone}/linking`, { passkey: 'always' });
    const client = stack.client().connect();
    const device = new PasskeyDevice(client);
    await until(() => client.qr, 'the QR code');
    const answered = () =>
      client.frames.filter(({ tag, attrs }) => tag === 'iq' && attrs.id !== undefined).length;
    const before = answered();
    const code = await client.socket.requestPairingCode(phone);
    await until(() => answered() > before, 'the answer');
    const answer = await stack.post(`/accounts/${phone}/code`, { code });
    expect(answer).toMatchObject({ status: 409, body: { code: 'PASSKEY_REQUIRED' } });
    await confirm(phone, await compared(phone, device, true));
    await device.finish();
    expect(await client.closed()).toBe(515);
  });

  test('asks for no comparison where it takes the proof of the secret that it was shown', async () => {
    const { phone, device } = await asked({ acceptProof: true });
    await compared(phone, device, true);
    expect(await view(phone)).toMatchObject({ proofTaken: true });
    await device.finish();
    expect(await device.client.closed()).toBe(515);
  });

  test('asks once, where it wants that, or each time', async () => {
    const { phone, device } = await asked({ passkey: 'once' });
    await confirm(phone, await compared(phone, device));
    await device.finish();
    await stageOf(phone, 'linked');
    await stack.linked(phone);
  });

  test('tells the challenge to who asks for it', async () => {
    const { phone, device } = await asked({ optionsMissing: true, challengeMs: 60_000 });
    await until(
      async () =>
        (await stack.get<{ notices: { acked: boolean }[] }>(`/accounts/${phone}/linking`)).body.notices[0]
          ?.acked,
      'the ack',
    );
    expect(device.options).toBeUndefined();
    await device.ask();
    expect(device.options).toMatchObject({ timeout: 60_000 });
    await compared(phone, device);
  });

  test('refuses a confirmation of another code, or of none', async () => {
    const { phone, device } = await asked();
    expect(await confirm(phone, 'AAAA-AAAA')).toMatchObject({ status: 409 });
    const code = await compared(phone, device);
    const other = code.startsWith('A') ? 'BBBB-BBBB' : 'AAAA-AAAA';
    expect(await confirm(phone, other)).toMatchObject({
      status: 422,
      body: { code: 'PASSKEY_CODE_DIFFERS' },
    });
  });

  test('has lost the ceremony when the connection ends, and knows another device not', async () => {
    const { phone, device } = await asked();
    const stranger = stack.client().connect();
    const other = new PasskeyDevice(stranger);
    await until(() => stranger.qr, 'the QR code');
    await expect(other.answer(await assertionFor(phone, device))).rejects.toEqual(
      expect.objectContaining({ data: 404 }),
    );
    await device.client.stop();
    await stageOf(phone, 'failed');
    expect(await view(phone)).toMatchObject({ problem: 'CONNECTION_LOST' });
    const next = new PasskeyDevice(stack.client().connect());
    const qr = await until(() => next.client.qr, 'the QR code');
    await stack.post(`/accounts/${phone}/scan`, { qr });
    await confirm(phone, await compared(phone, next));
    await next.finish();
    expect(await next.client.closed()).toBe(515);
  });

  test.each<[Fault, string]>([
    ['no ack', 'NOT_ACKNOWLEDGED'],
    ['assertion first', 'CHILDREN_OUT_OF_ORDER'],
    ['proof with the new secret', 'PROOF_WRONG'],
  ])('refuses the answer of a device with the fault "%s"', async (fault, problem) => {
    const { phone, device } = await asked({}, fault);
    const assertion = await assertionFor(phone, device);
    await expect(device.answer(assertion, { withProof: true })).rejects.toEqual(refused);
    expect(await view(phone)).toMatchObject({ stage: 'failed', problem });
  });

  test.each([
    [{ origin: 'https://example.org' }, 'ORIGIN_WRONG'],
    [{ rpId: 'example.org' }, 'RP_ID_WRONG'],
    [{ isVerified: false }, 'USER_NOT_VERIFIED'],
    [{ options: { challenge: 'c3RhbGU' } }, 'CHALLENGE_STALE'],
  ])('refuses an assertion that was made with %j', async (circumstances, problem) => {
    const { phone, device } = await asked();
    const assertion = await assertionFor(phone, device, circumstances);
    await expect(device.answer(assertion)).rejects.toEqual(refused);
    expect((await view(phone)).problem).toBe(problem);
  });

  test('takes the fields of an assertion in any order, and none that was written with padding', async () => {
    const first = await asked();
    const assertion = await assertionFor(first.phone, first.device);
    await first.device.answer(Object.fromEntries(Object.entries(assertion).reverse()) as typeof assertion);
    const second = await asked();
    const { rawId, ...rest } = await assertionFor(second.phone, second.device);
    await expect(second.device.answer({ ...rest, rawId: `${rawId}==` })).rejects.toEqual(refused);
    expect((await view(second.phone)).problem).toBe('ASSERTION_MALFORMED');
  });

  test('refuses an answer that comes too late', async () => {
    const { phone, device } = await asked({ challengeMs: 100 });
    const assertion = await assertionFor(phone, device);
    const over = Date.now() + 150;
    await until(() => Date.now() > over, 'the end of the challenge');
    await expect(device.answer(assertion)).rejects.toEqual(refused);
    expect((await view(phone)).problem).toBe('CHALLENGE_EXPIRED');
  });

  test('refuses a nonce before the phone has shown its side', async () => {
    const { phone, device } = await asked();
    await expect(device.hurry()).rejects.toEqual(refused);
    expect((await view(phone)).problem).toBe('TOO_EARLY');
  });

  test.each<[Fault, string]>([
    ['no ack of the continuation', 'NOT_ACKNOWLEDGED'],
    ['commitment over the key alone', 'COMMITMENT_NOT_OPENED'],
  ])('refuses the nonce of a device with the fault "%s"', async (fault, problem) => {
    const { phone, device } = await asked({}, fault);
    await expect(compared(phone, device)).rejects.toEqual(refused);
    expect((await view(phone)).problem).toBe(problem);
  });

  test('shows another code than a device that writes it in standard base 32', async () => {
    const { phone, device } = await asked({}, 'standard base 32');
    const code = await compared(phone, device);
    expect((await confirm(phone, code)).status).toBe(422);
  });

  test.each<[Fault, string]>([
    ['other ref in the salt', 'PAIRING_REQUEST_SEALED_OTHERWISE'],
    ['keys of another device', 'PAIRING_REQUEST_OF_OTHER_KEYS'],
  ])('refuses the keys of a device with the fault "%s"', async (fault, problem) => {
    const { phone, device } = await asked({}, fault);
    await compared(phone, device);
    await expect(device.finish()).rejects.toEqual(refused);
    expect((await view(phone)).problem).toBe(problem);
  });

  test('does not link a device that has kept the old secret', async () => {
    const { phone, device } = await asked({}, 'old secret kept');
    await confirm(phone, await compared(phone, device));
    await device.finish();
    await until(async () => (await view(phone)).problem === 'LINK_REFUSED', 'the end of the link');
    expect(device.client.credentials.creds.account).toBeUndefined();
  });

  test.each(['prologue', 'nonce', 'pairing-request'])(
    'fails at %s with the number that is wanted',
    async (failAt) => {
      const { phone, device } = await asked({ failAt, failCode: 418 });
      const all = async (): Promise<void> => {
        await compared(phone, device);
        await device.finish();
      };
      await expect(all()).rejects.toEqual(expect.objectContaining({ data: 418 }));
      expect(await view(phone)).toMatchObject({ stage: 'failed', problem: 'AS_WANTED' });
    },
  );

  test('can fall silent after the answer of the device', async () => {
    const { phone, device } = await asked({ failAt: 'continuation-silent' });
    await device.answer(await assertionFor(phone, device));
    expect(await view(phone)).toMatchObject({ stage: 'continued', problem: 'CONTINUATION_SILENT' });
  });
});
