import { generateKeyPairSync, type KeyObject, randomBytes, sign, verify } from 'node:crypto';
import { sha256 } from '../../noise/keys.js';

/** Name that the passkeys of the platform belong to. */
export const RP_ID = 'whatsapp.com';
/** Page on which alone a browser makes an assertion for that name. */
export const ORIGIN = 'https://web.whatsapp.com';

/** Flags of an assertion: the person was there, and was verified; the passkey may be copied, and is. */
const PRESENT = 0x01;
export const VERIFIED = 0x04;
const COPIED = 0x18;

/** Answer of a browser to a challenge, in the JSON form of WebAuthn. */
export interface Assertion {
  id: string;
  rawId: string;
  type: string;
  authenticatorAttachment: string | null;
  response: {
    clientDataJSON: string;
    authenticatorData: string;
    signature: string;
    userHandle: string | null;
  };
  clientExtensionResults: object;
}

/** Circumstances under which a challenge is answered; what is not given is as it should be. */
export interface Circumstances {
  origin?: string;
  rpId?: string;
  /** False when the person only touched the device. */
  isVerified?: boolean;
}

/** This class keeps the passkey of one account, as browser and authenticator together do. */
export class Authenticator {
  readonly credentialId = randomBytes(16);
  private readonly publicKey: KeyObject;
  private readonly privateKey: KeyObject;
  private readonly userHandle = randomBytes(16);
  private count = 0;

  constructor() {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.publicKey = publicKey;
    this.privateKey = privateKey;
  }

  /** The passkey itself, for a browser that shall have it: each part in base64. */
  get key(): Record<'credentialId' | 'userHandle' | 'privateKey', string> {
    const privateKey = this.privateKey.export({ type: 'pkcs8', format: 'der' });
    return {
      ...{
        credentialId: this.credentialId.toString('base64'),
        userHandle: this.userHandle.toString('base64'),
      },
      privateKey: privateKey.toString('base64'),
    };
  }

  /** Answers a challenge. */
  answer(
    challenge: string,
    { origin = ORIGIN, rpId = RP_ID, isVerified = true }: Circumstances = {},
  ): Assertion {
    const clientData = { type: 'webauthn.get', challenge, origin, crossOrigin: false };
    const clientDataJSON = Buffer.from(JSON.stringify(clientData));
    const flagsAndCount = Buffer.alloc(5);
    flagsAndCount.writeUInt8(PRESENT | COPIED | (isVerified ? VERIFIED : 0));
    flagsAndCount.writeUInt32BE(++this.count, 1);
    const authenticatorData = Buffer.concat([sha256(Buffer.from(rpId)), flagsAndCount]);
    const signature = sign('sha256', signed(authenticatorData, clientDataJSON), this.privateKey);
    const id = this.credentialId.toString('base64url');
    return {
      ...{ id, rawId: id, type: 'public-key', authenticatorAttachment: 'platform' },
      response: {
        clientDataJSON: clientDataJSON.toString('base64url'),
        authenticatorData: authenticatorData.toString('base64url'),
        signature: signature.toString('base64url'),
        userHandle: this.userHandle.toString('base64url'),
      },
      clientExtensionResults: {},
    };
  }

  /** Says whether this passkey has signed. */
  hasSigned(authenticatorData: Buffer, clientDataJSON: Buffer, signature: Buffer): boolean {
    return verify('sha256', signed(authenticatorData, clientDataJSON), this.publicKey, signature);
  }
}

const signed = (authenticatorData: Buffer, clientDataJSON: Buffer): Buffer =>
  Buffer.concat([authenticatorData, sha256(clientDataJSON)]);
