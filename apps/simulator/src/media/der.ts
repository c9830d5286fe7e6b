/** The few forms of DER that a certificate is made of. */

function tagged(tag: number, ...parts: Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), lengthOf(body.length), body]);
}

/** Up to 127 in one byte, above it as so many bytes, which are counted first. */
function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(length);
  const start = bytes.findIndex((byte) => byte !== 0);
  return Buffer.concat([Buffer.from([0x80 | (4 - start)]), bytes.subarray(start)]);
}

export const sequence = (...parts: Uint8Array[]): Buffer => tagged(0x30, ...parts);
export const set = (...parts: Uint8Array[]): Buffer => tagged(0x31, ...parts);
export const oid = (hex: string): Buffer => tagged(0x06, Buffer.from(hex, 'hex'));
export const boolean = (value: boolean): Buffer => tagged(0x01, Buffer.from([value ? 0xff : 0]));
export const octets = (bytes: Uint8Array): Buffer => tagged(0x04, bytes);
export const utf8 = (text: string): Buffer => tagged(0x0c, Buffer.from(text));
export const time = (text: string): Buffer => tagged(0x17, Buffer.from(text));

/** A positive number, without leading zeros and with a first bit of 0. */
export const integer = (bytes: Uint8Array): Buffer => tagged(0x02, bytes);

/** A string of bits; `unused` says how many of the last byte do not count. */
export const bits = (bytes: Uint8Array, unused = 0): Buffer => tagged(0x03, Buffer.from([unused]), bytes);

/** A field that is told by its number; those made of other fields are marked as such. */
export const field = (number: number, ...parts: Uint8Array[]): Buffer => tagged(0xa0 | number, ...parts);
export const plainField = (number: number, bytes: Uint8Array): Buffer => tagged(0x80 | number, bytes);
