import { createCipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { type AuthenticationCreds, bytesToCrockford, Curve, proto } from '@whiskeysockets/baileys';

const KEY_BYTES = 32;
const IV_BYTES = 12;
/** Number of bytes that a code stands for. */
const CODE_BYTES = 5;
/** Kind of device that the registration names as well. */
const DEVICE_TYPE = proto.DeviceProps.PlatformType.CHROME;

const derived = (secret: Uint8Array, salt: string, info: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, KEY_BYTES));
const sha256 = (...parts: Uint8Array[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();

/** Makes the key that proves that this device knows the secret which the phone was shown. */
export const handoffKeyOf = (advSecret: string): Buffer =>
  derived(Buffer.from(advSecret, 'base64'), '', 'shortcake-passkey-handoff-v1');

/** Side of the phone, as it comes. */
export interface PhoneSide {
  publicKey: Uint8Array;
  nonce: Uint8Array;
}

/** Reads the side of the phone; undefined when it cannot be read. */
export function readPhoneSide(bytes: Uint8Array | undefined): PhoneSide | undefined {
  try {
    const { publicKey, nonce } = proto.PrimaryEphemeralIdentity.decode(bytes ?? Buffer.alloc(0));
    return publicKey?.length === KEY_BYTES && nonce?.length === KEY_BYTES ? { publicKey, nonce } : undefined;
  } catch {
    return undefined;
  }
}

/** Secrets of this device in one ceremony. They live in memory alone. */
export class DeviceSide {
  /** Number that this device has bound itself to, and opens after the phone has shown its side. */
  readonly nonce = randomBytes(KEY_BYTES);
  /** Secret that the number is linked with: the one that was shown has been seen by who asked for the passkey. */
  readonly advSecret = randomBytes(KEY_BYTES);
  /** Description of this device, with the commitment to its nonce. */
  readonly prologue: Buffer;
  private readonly keys = Curve.generateKeyPair();

  /** @param ref reference that the platform gave for this ceremony. */
  constructor(private readonly ref: string) {
    const identity = proto.CompanionEphemeralIdentity.encode({
      publicKey: this.keys.public,
      deviceType: DEVICE_TYPE,
      ref,
    }).finish();
    const commitment = { hash: sha256(identity, this.nonce) };
    this.prologue = Buffer.from(
      proto.ProloguePayload.encode({ companionEphemeralIdentity: identity, commitment }).finish(),
    );
  }

  /** Makes the proof that this prologue is of the device whose secret the phone was shown. */
  proofOf(handoffKey: Buffer): Buffer {
    return createHmac('sha256', handoffKey).update(this.prologue).digest();
  }

  /** Makes the code that both screens show. */
  codeWith({ publicKey, nonce }: PhoneSide): string {
    const digest = sha256(this.nonce, publicKey);
    const bytes = Array.from({ length: CODE_BYTES }, (_, at) => (nonce[at] ?? 0) ^ (digest[at] ?? 0));
    const code = bytesToCrockford(Buffer.from(bytes));
    return `${code.slice(0, 4)}-${code.slice(4)}`;
  }

  /** Seals the keys of this device, and its new secret, for the phone. */
  sealFor({ publicKey }: PhoneSide, { noiseKey, signedIdentityKey }: AuthenticationCreds): Buffer {
    const { advSecret } = this;
    const request = proto.PairingRequest.encode({
      ...{ companionPublicKey: noiseKey.public, companionIdentityKey: signedIdentityKey.public, advSecret },
    }).finish();
    const shared = Curve.sharedKey(this.keys.private, publicKey);
    const salt = `Companion Pairing ${DEVICE_TYPE} with ref ${this.ref}`;
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(
      'aes-256-gcm',
      derived(shared, salt, 'Pairing Information Encryption Key'),
      iv,
    );
    const encryptedPayload = Buffer.concat([cipher.update(request), cipher.final(), cipher.getAuthTag()]);
    return Buffer.from(proto.EncryptedPairingRequest.encode({ encryptedPayload, iv }).finish());
  }
}
