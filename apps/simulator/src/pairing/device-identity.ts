import { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { hmac, type KeyPair, sign, verify } from '../noise/keys.js';

const ACCOUNT_PREFIX = Buffer.from([6, 0]);
const DEVICE_PREFIX = Buffer.from([6, 1]);

const { ADVDeviceIdentity, ADVSignedDeviceIdentity, ADVSignedDeviceIdentityHMAC } = proto;

/** A device identity before the companion has countersigned it. */
export interface DeviceOffer {
  details: Buffer;
  keyIndex: number;
  /** Identity for the companion: signed by the phone, under the secret of the QR code. */
  sealed: Buffer;
}

/** Signs a companion's identity with the key of the phone. */
export function offerDeviceIdentity(
  phone: KeyPair,
  companion: Buffer,
  advSecret: Buffer,
  keyIndex: number,
): DeviceOffer {
  const identity = { rawId: keyIndex, timestamp: Math.floor(Date.now() / 1000), keyIndex };
  const details = Buffer.from(
    ADVDeviceIdentity.encode({ ...identity, accountType: 0, deviceType: 0 }).finish(),
  );
  const accountSignature = sign(phone.private, Buffer.concat([ACCOUNT_PREFIX, details, companion]));
  const signed = { details, accountSignatureKey: phone.public, accountSignature };
  const inner = ADVSignedDeviceIdentity.encode(signed).finish();
  const outer = { details: inner, hmac: hmac(advSecret, inner), accountType: 0 };
  return { details, keyIndex, sealed: Buffer.from(ADVSignedDeviceIdentityHMAC.encode(outer).finish()) };
}

/**
 * Verifies both signatures of a device identity. The copy a companion sends while linking lacks the phone's key; the
 * copies in its messages carry it, and then it has to be the right one.
 */
export function isGenuine(signedIdentity: Buffer, phone: Buffer, companion: Buffer): boolean {
  const signed = decodeOrNothing(signedIdentity);
  if (!signed?.details || !signed.accountSignature || !signed.deviceSignature) return false;
  const carried = signed.accountSignatureKey;
  if (carried?.length && !phone.equals(carried)) return false;
  const byPhone = Buffer.concat([ACCOUNT_PREFIX, signed.details, companion]);
  const byDevice = Buffer.concat([DEVICE_PREFIX, signed.details, companion, phone]);
  return (
    verify(phone, byPhone, signed.accountSignature) && verify(companion, byDevice, signed.deviceSignature)
  );
}

/** Says whether a countersigned identity is about the device that was offered, not about an older one. */
export function isAbout(signedIdentity: Buffer, offer: DeviceOffer): boolean {
  const details = decodeOrNothing(signedIdentity)?.details;
  return details != null && offer.details.equals(details);
}

function decodeOrNothing(bytes: Buffer): proto.ADVSignedDeviceIdentity | undefined {
  try {
    return ADVSignedDeviceIdentity.decode(bytes);
  } catch {
    return undefined;
  }
}
