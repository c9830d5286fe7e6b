import { createDecipheriv, createHash, createHmac, hkdfSync } from 'node:crypto';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { PasskeyAssertion } from '@svc/contracts';
import { type AuthenticationCreds, Curve, initAuthCreds, proto } from '@whiskeysockets/baileys';
import { NoAnswerError } from '../../../errors.js';
import type { PasskeyReport } from '../../../passkey.js';
import type { Stanza } from '../../stanzas/stanzas.js';
import { IqRefusedError, PasskeyCeremony } from './ceremony.js';

const OPTIONS = { challenge: 'Y2hhbGxlbmdl', timeout: 600_000, rpId: 'whatsapp.com' };
const sha256 = (...parts: Uint8Array[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();
const derived = (secret: Uint8Array, salt: string, info: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, 32));
const child = (tag: string, content: Uint8Array | string): Stanza => ({ tag, attrs: {}, content });
const parent = (...content: Stanza[]): Stanza => ({ tag: 'any', attrs: {}, content });
const challenge = (options: object = OPTIONS): Stanza =>
  parent(child('passkey_request_options', Buffer.from(JSON.stringify(options))));

let creds: AuthenticationCreds;
let firstSecret: string;
let reports: PasskeyReport[];
/** Tags of what the platform was asked, in order, with the contents of what was set. */
let asked: string[];
let sent: Map<string, unknown>;
/** Errors by the tag of the question; a question without one is answered. */
let errors: Map<string, Error>;
let ceremony: PasskeyCeremony;
const phone = Curve.generateKeyPair();
const nonce = Buffer.alloc(32, 3);

beforeEach(() => {
  jest.useFakeTimers();
  creds = initAuthCreds();
  firstSecret = creds.advSecretKey;
  [reports, asked, sent, errors] = [[], [], new Map(), new Map()];
  ceremony = new PasskeyCeremony(creds, {
    ask: async (type, { tag, content }) => {
      asked.push(`${type} ${tag}`);
      sent.set(tag, content);
      const error = errors.get(tag);
      if (error) throw error;
      if (tag === 'ref') return parent(child('ref', '2@ref'));
      return tag === 'passkey_request_options' ? challenge() : parent();
    },
    report: (report) => void reports.push(report),
    keepSecret: (secret) => void (creds.advSecretKey = secret),
  });
});
afterEach(() => {
  ceremony.fail('GIVEN_UP');
  jest.useRealTimers();
});

function assertion(more: { clientData?: object; rpId?: string; flags?: number } = {}): PasskeyAssertion {
  const clientData = {
    ...{ type: 'webauthn.get', challenge: OPTIONS.challenge, origin: 'https://web.whatsapp.com' },
    ...more.clientData,
  };
  const data = Buffer.concat([
    sha256(Buffer.from(more.rpId ?? 'whatsapp.com')),
    Buffer.from([more.flags ?? 5, 0, 0, 0, 1]),
  ]);
  const response = {
    clientDataJSON: Buffer.from(JSON.stringify(clientData)).toString('base64url'),
    authenticatorData: data.toString('base64url'),
    signature: 'c2ln',
  };
  return { id: 'aWQ', rawId: 'aWQ', type: 'public-key', response };
}

const phonesSide = (publicKey: Uint8Array = phone.public): Stanza =>
  parent(
    child('primary_ephemeral_identity', proto.PrimaryEphemeralIdentity.encode({ publicKey, nonce }).finish()),
  );
const partsOfPrologue = (): Stanza[] => sent.get('passkey_prologue') as Stanza[];
const prologue = (): proto.ProloguePayload =>
  proto.ProloguePayload.decode(partsOfPrologue()[2]?.content as Uint8Array);
const identity = (): proto.CompanionEphemeralIdentity =>
  proto.CompanionEphemeralIdentity.decode(prologue().companionEphemeralIdentity as Uint8Array);
const lastStage = (): string | undefined => reports.at(-1)?.stage;
const shownCode = (): string => (reports.at(-1) as { code?: string }).code ?? '';

/** Goes as far as the comparison of the codes. */
async function compare(): Promise<void> {
  await ceremony.begin(challenge());
  await ceremony.answer(assertion());
  await ceremony.goOn(phonesSide());
}

test('each step follows the one before it, and the end is told', async () => {
  await compare();
  await ceremony.confirm(shownCode());
  ceremony.linked();
  expect(reports.map(({ stage }) => stage)).toEqual(['challenge', 'sent', 'compare', 'finishing', 'linked']);
  expect(asked).toEqual([
    'get ref',
    'set passkey_prologue',
    'set companion_nonce',
    'set encrypted_pairing_request',
  ]);
  expect(ceremony.isOpen).toBe(false);
});

test('the challenge is shown as it came, until it ends', async () => {
  await ceremony.begin(challenge());
  expect(reports).toEqual([
    { stage: 'challenge', options: OPTIONS, expiresAt: new Date(Date.now() + 600_000) },
  ]);
});

test('the platform is asked for a challenge that did not come by itself', async () => {
  await ceremony.begin(parent());
  expect([asked, lastStage()]).toEqual([['get passkey_request_options'], 'challenge']);
});

test('a challenge may come as text', async () => {
  await ceremony.begin(parent(child('passkey_request_options', JSON.stringify(OPTIONS))));
  expect(lastStage()).toBe('challenge');
});

test.each([{ timeout: 600_000 }, 'nothing', { challenge: 'YQ' }])(
  'a challenge that cannot be read ends the link: %j',
  async (options) => {
    errors.set('passkey_request_options', new Error('the answer is no better'));
    await ceremony.begin(challenge(options as object));
    expect(reports).toEqual([{ stage: 'failed', reason: 'UNREADABLE' }]);
  },
);

test.each([
  [undefined, 600_000],
  [5, 1_000],
  [3_600_000, 900_000],
])('the time of a challenge is believed within bounds: %s', async (timeout, holds) => {
  await ceremony.begin(challenge({ ...OPTIONS, timeout }));
  expect((reports[0] as { expiresAt: Date }).expiresAt.getTime() - Date.now()).toBe(holds);
});

test('another challenge replaces one that was not answered, and none that was', async () => {
  await ceremony.begin(challenge());
  await ceremony.begin(challenge({ ...OPTIONS, challenge: 'b3RoZXI' }));
  await expect(ceremony.answer(assertion())).rejects.toMatchObject({ field: 'response.clientDataJSON' });
  await ceremony.answer(assertion({ clientData: { challenge: 'b3RoZXI' } }));
  await ceremony.begin(challenge());
  expect(reports.map(({ stage }) => stage)).toEqual(['challenge', 'challenge', 'sent']);
});

test.each([
  [{ clientData: { challenge: 'c3RhbGU' } }, 'response.clientDataJSON'],
  [{ clientData: { type: 'webauthn.create' } }, 'response.clientDataJSON'],
  [{ clientData: { origin: 'https://example.org' } }, 'response.clientDataJSON'],
  [{ rpId: 'example.org' }, 'response.authenticatorData'],
  [{ flags: 1 }, 'response.authenticatorData'],
])(
  'an assertion that the platform would refuse stays here, and may be corrected: %j',
  async (more, field) => {
    await ceremony.begin(challenge());
    await expect(ceremony.answer(assertion(more))).rejects.toMatchObject({
      name: 'PasskeyInputError',
      field,
    });
    expect(asked).toEqual([]);
    await ceremony.answer(assertion());
    expect(lastStage()).toBe('sent');
  },
);

test('the answer of the browser goes out as it came, beside a commitment over all that the device says of itself', async () => {
  await compare();
  const [id, json, , proof] = partsOfPrologue();
  expect(partsOfPrologue().map(({ tag }) => tag)).toEqual([
    ...['credential_id', 'webauthn_assertion', 'prologue_payload', 'pairing_handoff_proof'],
  ]);
  expect(id?.content).toEqual(Buffer.from('id'));
  expect(JSON.parse(String(json?.content))).toEqual(assertion());
  expect(identity()).toMatchObject({ ref: '2@ref', deviceType: proto.DeviceProps.PlatformType.CHROME });
  const opened = sha256(
    prologue().companionEphemeralIdentity as Uint8Array,
    sent.get('companion_nonce') as Uint8Array,
  );
  expect(Buffer.from(prologue().commitment?.hash as Uint8Array)).toEqual(opened);
  const key = derived(Buffer.from(firstSecret, 'base64'), '', 'shortcake-passkey-handoff-v1');
  const payload = partsOfPrologue()[2]?.content as Uint8Array;
  expect(proof?.content).toEqual(createHmac('sha256', key).update(payload).digest());
});

test('the proof of the secret that was shown is left out after five minutes', async () => {
  await ceremony.begin(challenge());
  jest.advanceTimersByTime(300_001);
  await ceremony.answer(assertion());
  expect(partsOfPrologue().map(({ tag }) => tag)).not.toContain('pairing_handoff_proof');
});

test('the code follows from what both sides have shown, and the commitment is opened before', async () => {
  await compare();
  const digest = sha256(sent.get('companion_nonce') as Uint8Array, phone.public);
  let bits = 0n;
  for (let at = 0; at < 5; at += 1) bits = (bits << 8n) | BigInt(3 ^ (digest[at] ?? 0));
  const alphabet = '123456789ABCDEFGHJKLMNPQRSTVWXYZ';
  const code = Array.from({ length: 8 }, (_, at) => alphabet[Number((bits >> BigInt(35 - 5 * at)) & 31n)]);
  expect(shownCode()).toBe(`${code.slice(0, 4).join('')}-${code.slice(4).join('')}`);
});

test('nothing is opened before the phone has shown its side, and that side is taken once', async () => {
  await ceremony.begin(challenge());
  await ceremony.goOn(phonesSide());
  expect(asked).toEqual([]);
  await ceremony.answer(assertion());
  await Promise.all([ceremony.goOn(phonesSide()), ceremony.goOn(phonesSide())]);
  expect(asked.filter((one) => one === 'set companion_nonce')).toHaveLength(1);
});

test('the keys of the device go out sealed, with a new secret that counts from then on', async () => {
  await compare();
  expect(creds.advSecretKey).toBe(firstSecret);
  await ceremony.confirm(shownCode());
  const { iv, encryptedPayload } = proto.EncryptedPairingRequest.decode(
    sent.get('encrypted_pairing_request') as Uint8Array,
  );
  const shared = Curve.sharedKey(phone.private, identity().publicKey as Uint8Array);
  const key = derived(shared, 'Companion Pairing 1 with ref 2@ref', 'Pairing Information Encryption Key');
  const sealed = Buffer.from(encryptedPayload as Uint8Array);
  const decipher = createDecipheriv('aes-256-gcm', key, iv as Uint8Array);
  decipher.setAuthTag(sealed.subarray(-16));
  const plain = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
  const { companionPublicKey, companionIdentityKey, advSecret } = proto.PairingRequest.decode(plain);
  expect(Buffer.from(companionPublicKey ?? [])).toEqual(Buffer.from(creds.noiseKey.public));
  expect(Buffer.from(companionIdentityKey ?? [])).toEqual(Buffer.from(creds.signedIdentityKey.public));
  expect(creds.advSecretKey).toBe(Buffer.from(advSecret ?? []).toString('base64'));
  expect(creds.advSecretKey).not.toBe(firstSecret);
});

test('the new secret counts before the library takes the end, also where that overtakes the answer', async () => {
  await compare();
  const confirmed = ceremony.confirm(shownCode());
  ceremony.linked();
  expect(creds.advSecretKey).not.toBe(firstSecret);
  const kept = creds.advSecretKey;
  await confirmed;
  expect([creds.advSecretKey, lastStage()]).toEqual([kept, 'linked']);
});

test('a code that is not the one that is shown confirms nothing', async () => {
  await compare();
  await expect(ceremony.confirm('AAAA-AAAA')).rejects.toMatchObject({ field: 'code' });
  expect([lastStage(), asked.at(-1)]).toEqual(['compare', 'set companion_nonce']);
});

test('a step that is not the next one, or is under way, is refused', async () => {
  await ceremony.begin(challenge());
  await expect(ceremony.confirm('AAAA-AAAA')).rejects.toThrow('not the next step');
  const first = ceremony.answer(assertion());
  await expect(ceremony.answer(assertion())).rejects.toThrow('not the next step');
  await first;
  await ceremony.goOn(phonesSide());
  const code = shownCode();
  const confirmed = ceremony.confirm(code);
  await expect(ceremony.confirm(code)).rejects.toThrow('not the next step');
  await confirmed;
});

test.each([
  ['challenge', 600_000, 'EXPIRED'],
  ['sent', 60_000, 'PHONE_SILENT'],
  ['compare', 300_000, 'EXPIRED'],
  ['finishing', 120_000, 'EXPIRED'],
] as const)('nothing waits for ever at the stage %s', async (stage, ms, reason) => {
  await ceremony.begin(challenge());
  if (stage !== 'challenge') await ceremony.answer(assertion());
  if (stage === 'compare' || stage === 'finishing') await ceremony.goOn(phonesSide());
  if (stage === 'finishing') await ceremony.confirm(shownCode());
  jest.advanceTimersByTime(ms - 1);
  expect(lastStage()).toBe(stage);
  jest.advanceTimersByTime(1);
  expect(reports.at(-1)).toEqual({ stage: 'failed', reason });
  await expect(ceremony.answer(assertion())).rejects.toMatchObject({ end: { reason } });
});

test.each(['ref', 'passkey_prologue'])(
  'a refusal at %s is told with its number, and nothing is tried again',
  async (tag) => {
    errors.set(tag, new IqRefusedError(418));
    await ceremony.begin(challenge());
    await expect(ceremony.answer(assertion())).rejects.toMatchObject({ end: { reason: 'REFUSED' } });
    expect(reports.at(-1)).toEqual({ stage: 'failed', reason: 'REFUSED', platformCode: 418 });
    expect(asked.filter((one) => one.endsWith(tag))).toHaveLength(1);
  },
);

test('a refusal of the commitment ends the link before a code is shown', async () => {
  errors.set('companion_nonce', new IqRefusedError(400));
  await compare();
  expect(reports.at(-1)).toEqual({ stage: 'failed', reason: 'REFUSED', platformCode: 400 });
});

test('a refusal of the keys ends the link, and the first secret stays', async () => {
  errors.set('encrypted_pairing_request', new NoAnswerError());
  await compare();
  await expect(ceremony.confirm(shownCode())).rejects.toMatchObject({ end: { reason: 'NO_ANSWER' } });
  expect(creds.advSecretKey).toBe(firstSecret);
});

test('a phone whose side cannot be read ends the link', async () => {
  await ceremony.begin(challenge());
  await ceremony.answer(assertion());
  await ceremony.goOn(phonesSide(Buffer.alloc(5)));
  expect(reports.at(-1)).toEqual({ stage: 'failed', reason: 'UNREADABLE' });
});

test('a link that was given up changes nothing of the credentials, and hears of nothing more', async () => {
  await compare();
  ceremony.fail('GIVEN_UP');
  ceremony.fail('CONNECTION_LOST');
  await ceremony.begin(challenge());
  ceremony.linked();
  jest.advanceTimersByTime(900_000);
  expect(reports.at(-1)).toEqual({ stage: 'failed', reason: 'GIVEN_UP' });
  expect(creds.advSecretKey).toBe(firstSecret);
});

test('without a wish for a passkey there is no link to end', () => {
  ceremony.fail('CONNECTION_LOST');
  ceremony.linked();
  expect(reports).toEqual([]);
});
