import { sha256 } from '../../noise/keys.js';
import { type Assertion, type Authenticator, ORIGIN, RP_ID, VERIFIED } from './authenticator.js';

/** Base64 as WebAuthn writes it: without padding. */
const BASE64URL = /^[\w-]+$/;

/** An assertion as it was sent, beside the id of its passkey. */
interface SentAssertion {
  assertion: Buffer;
  credentialId: Buffer;
}

/** Names what is wrong with an assertion; undefined: nothing. */
export function problemOfAssertion(
  { assertion: json, credentialId }: SentAssertion,
  challenge: string,
  authenticator: Authenticator,
): string | undefined {
  const assertion = parsed<Assertion>(json);
  if (!assertion || !isWellFormed(assertion)) return 'ASSERTION_MALFORMED';
  const own = authenticator.credentialId;
  if (!own.equals(credentialId) || !own.equals(bytes(assertion.rawId))) return 'CREDENTIAL_UNKNOWN';
  const { response } = assertion;
  const [clientDataJSON, data] = [bytes(response.clientDataJSON), bytes(response.authenticatorData)];
  return (
    problemOfClientData(clientDataJSON, challenge) ??
    problemOfData(data) ??
    (authenticator.hasSigned(data, clientDataJSON, bytes(response.signature)) ? undefined : 'SIGNATURE_WRONG')
  );
}

function isWellFormed({ id, rawId, type, response }: Partial<Assertion>): boolean {
  const { clientDataJSON, authenticatorData, signature } = response ?? {};
  const fields = [id, rawId, clientDataJSON, authenticatorData, signature];
  return type === 'public-key' && fields.every((field) => typeof field === 'string' && BASE64URL.test(field));
}

function problemOfClientData(json: Buffer, challenge: string): string | undefined {
  const clientData = parsed<{ type: string; challenge: string; origin: string }>(json);
  if (clientData?.type !== 'webauthn.get') return 'ASSERTION_MALFORMED';
  if (clientData.challenge !== challenge) return 'CHALLENGE_STALE';
  return clientData.origin === ORIGIN ? undefined : 'ORIGIN_WRONG';
}

function problemOfData(data: Buffer): string | undefined {
  if (!data.subarray(0, 32).equals(sha256(Buffer.from(RP_ID)))) return 'RP_ID_WRONG';
  return ((data[32] ?? 0) & VERIFIED) === 0 ? 'USER_NOT_VERIFIED' : undefined;
}

const bytes = (text: string): Buffer => Buffer.from(text, 'base64url');

function parsed<T>(json: Buffer): T | undefined {
  try {
    return JSON.parse(json.toString()) as T;
  } catch {
    return undefined;
  }
}
