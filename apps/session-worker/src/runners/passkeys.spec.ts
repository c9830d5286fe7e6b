import { beforeEach, expect, test } from '@jest/globals';
import type { PasskeyAssertion } from '@svc/contracts';
import { PasskeyEndedError, PasskeyInputError, PasskeyStageError } from '../platform/errors.js';
import type { PasskeySteps } from '../platform/passkey.js';
import { Passkeys } from './passkeys.js';

const EXPIRES = new Date('2026-01-31T12:10:00.000Z');
const CHALLENGE = { stage: 'challenge' as const, options: { challenge: 'YQ' }, expiresAt: EXPIRES };
const COMPARE = { ...CHALLENGE, stage: 'compare' as const, code: 'ABCD-2345' };
const ASSERTION = {} as PasskeyAssertion;

let passkeys: Passkeys;
let steps: PasskeySteps | undefined;
/** Work of the socket for the next step. */
let work: () => Promise<void>;

beforeEach(() => {
  work = async () => undefined;
  steps = { answer: () => work(), confirm: () => work(), giveUp: () => void work() };
  passkeys = new Passkeys(() => steps);
});

test('the link is shown as it is, and none where there is none', async () => {
  expect(() => passkeys.view()).toThrow(expect.objectContaining({ code: 'PASSKEY_NOT_FOUND' }));
  passkeys.take(CHALLENGE);
  expect(passkeys.view()).toEqual({ ...CHALLENGE, expiresAt: EXPIRES.toISOString(), code: null });
  passkeys.take({ stage: 'linked' });
  await expect(passkeys.answer(ASSERTION)).rejects.toMatchObject({ code: 'PASSKEY_NOT_FOUND' });
});

test('the reason of the last failure is told until there is another link', async () => {
  passkeys.take(CHALLENGE);
  passkeys.take({ stage: 'failed', reason: 'REFUSED', platformCode: 418 });
  const meta = { reason: 'REFUSED', platformCode: 418 };
  await expect(passkeys.giveUp()).rejects.toMatchObject({ code: 'PASSKEY_ENDED', meta });
  passkeys.lose();
  expect(() => passkeys.view()).toThrow(expect.objectContaining({ meta }));
  passkeys.take(COMPARE);
  expect(passkeys.view()).toMatchObject({ stage: 'compare', code: 'ABCD-2345' });
});

test('a link is lost with its socket', () => {
  passkeys.take(CHALLENGE);
  passkeys.lose();
  expect(() => passkeys.view()).toThrow(expect.objectContaining({ meta: { reason: 'CONNECTION_LOST' } }));
});

test.each([
  [new PasskeyInputError('code', 'must be the code that is shown'), 'VALIDATION_FAILED'],
  [new PasskeyStageError(), 'PASSKEY_CONFLICT'],
])('what the socket refuses with %p is answered with %s', async (error, code) => {
  passkeys.take(COMPARE);
  work = () => Promise.reject(error);
  await expect(passkeys.confirm('ABCD-2345')).rejects.toMatchObject({ code });
});

test('a step after which the link has ended is answered with the reason', async () => {
  passkeys.take(CHALLENGE);
  const end = { stage: 'failed' as const, reason: 'NO_ANSWER' as const };
  work = () => {
    passkeys.take(end);
    return Promise.reject(new PasskeyEndedError(end));
  };
  await expect(passkeys.answer(ASSERTION)).rejects.toMatchObject({ meta: { reason: 'NO_ANSWER' } });
});

test('a number that is linked before the answer is back was confirmed all the same', async () => {
  passkeys.take(COMPARE);
  work = async () => passkeys.take({ stage: 'linked' });
  expect(await passkeys.confirm('ABCD-2345')).toMatchObject({ stage: 'finishing', code: 'ABCD-2345' });
});
