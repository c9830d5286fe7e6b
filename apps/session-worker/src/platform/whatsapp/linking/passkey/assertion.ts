import { createHash } from 'node:crypto';
import type { PasskeyAssertion } from '@svc/contracts';
import { PasskeyInputError } from '../../../errors.js';

/** Page on which browsers make assertions for the platform. */
const ORIGIN = 'https://web.whatsapp.com';
/** Flag of an assertion whose person was verified. */
const VERIFIED = 0x04;
const FLAGS_AT = 32;
/** Shortest data of an authenticator: hash, flags, counter. */
const LEAST_BYTES = 37;

/**
 * Checks an assertion as far as it can be without the passkey: one that the platform refuses ends the link, and may cost the account.
 * @throws PasskeyInputError
 */
export function assertAnswers(assertion: PasskeyAssertion, options: Record<string, unknown>): void {
  const { id, rawId, response } = assertion;
  if (id !== rawId) throw new PasskeyInputError('rawId', 'must be the id');
  assertClientData(response.clientDataJSON, options['challenge']);
  assertData(response.authenticatorData, options['rpId']);
}

function assertClientData(text: string, challenge: unknown): void {
  const field = 'response.clientDataJSON';
  const clientData = parsed(text);
  if (clientData?.['type'] !== 'webauthn.get')
    throw new PasskeyInputError(field, 'must be that of navigator.credentials.get');
  if (clientData['challenge'] !== challenge)
    throw new PasskeyInputError(field, 'must answer the challenge that is open now');
  if (clientData['origin'] !== ORIGIN)
    throw new PasskeyInputError(field, `must come from the page ${ORIGIN}`);
}

function assertData(text: string, rpId: unknown): void {
  const field = 'response.authenticatorData';
  const data = Buffer.from(text, 'base64url');
  const name = createHash('sha256').update(String(rpId)).digest();
  if (data.length < LEAST_BYTES || !data.subarray(0, FLAGS_AT).equals(name))
    throw new PasskeyInputError(field, 'must be of a passkey of the platform');
  if ((data.readUInt8(FLAGS_AT) & VERIFIED) === 0)
    throw new PasskeyInputError(field, 'must say that the person was verified');
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
