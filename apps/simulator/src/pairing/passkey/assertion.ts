import { sha256 } from '../../noise/keys.js';
import { type Assertion, type Authenticator, ORIGIN, RP_ID, VERIFIED } from './authenticator.js';

/** Base64 as WebAuthn writes it: without padding. */
const BASE64URL = /^[\w-]+$/;

/** Names what is wrong with an assertion that came with this credential id; undefined: nothing. */
export function problemOfAssertion(
  sent: { assertion: Buffer; credentialId: Buffer },
  challenge: string,
  authenticator: Authenticator,
): string | undefined {
  const assertion = parsed<Assertion>(sent.assertion);
  const { clientDataJSON, authenticatorData, signature } = assertion?.response ?? {};
  const fields = [assertion?.id, assertion?.rawId, clientDataJSON, authenticatorData, signature];
  if (!assertion || !fields.every((field) => typeof field === 'string' && BASE64URL.test(field)))
    return 'ASSERTION_MALFORMED';
  const { credentialId } = authenticator;
  const isOfPasskey = credentialId.equals(bytes(assertion.rawId)) && credentialId.equals(sent.credentialId);
  if (!isOfPasskey || assertion.type !== 'public-key') return 'CREDENTIAL_UNKNOWN';
  const clientData = parsed<{ type: string; challenge: string; origin: string }>(bytes(clientDataJSON));
  if (clientData?.type !== 'webauthn.get') return 'ASSERTION_MALFORMED';
  if (clientData.challenge !== challenge) return 'CHALLENGE_STALE';
  if (clientData.origin !== ORIGIN) return 'ORIGIN_WRONG';
  const data = bytes(authenticatorData);
  if (!data.subarray(0, 32).equals(sha256(Buffer.from(RP_ID)))) return 'RP_ID_WRONG';
  if (((data[32] ?? 0) & VERIFIED) === 0) return 'USER_NOT_VERIFIED';
  if (!authenticator.hasSigned(data, bytes(clientDataJSON), bytes(signature))) return 'SIGNATURE_WRONG';
  return undefined;
}

const bytes = (text = ''): Buffer => Buffer.from(text, 'base64url');

function parsed<T>(json: Buffer): T | undefined {
  try {
    return JSON.parse(json.toString()) as T;
  } catch {
    return undefined;
  }
}
