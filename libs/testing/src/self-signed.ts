import { generateKeyPairSync, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';

/** A key and a certificate that it signs itself, both as PEM. */
export interface SelfSigned {
  key: string;
  cert: string;
}

const ED25519 = der(0x30, oid('2b6570'));
const COMMON_NAME = '550403';
const ALTERNATIVE_NAMES = '551d11';
const DAY_MS = 24 * 3_600_000;

/**
 * Makes a certificate for one name, or one address of version 4. A client trusts it that is told to, by itself: it is
 * its own authority.
 * @param until when it is valid no longer; tomorrow by default. It is valid from thirty days before.
 */
export function selfSigned(host: string, until = new Date(Date.now() + DAY_MS)): SelfSigned {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const name = der(0x30, der(0x31, der(0x30, oid(COMMON_NAME), der(0x0c, Buffer.from(host)))));
  const alternative = isIPv4(host)
    ? der(0x87, Buffer.from(host.split('.').map(Number)))
    : der(0x82, Buffer.from(host));
  const extension = der(0x30, oid(ALTERNATIVE_NAMES), der(0x04, der(0x30, alternative)));
  const content = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ED25519,
    name,
    der(0x30, time(new Date(until.getTime() - 30 * DAY_MS)), time(until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, extension)),
  );
  const signature = Buffer.concat([Buffer.from([0]), sign(null, content, privateKey)]);
  const lines =
    der(0x30, content, ED25519, der(0x03, signature))
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
  };
}

/** Tag, length and content; the length in one byte up to 127, beyond in two after one that says so. */
function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const length = body.length < 0x80 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}

/** As `260131120000Z`. */
function time(at: Date): Buffer {
  return der(0x17, Buffer.from(`${at.toISOString().slice(2, 19).replace(/\D/g, '')}Z`));
}
