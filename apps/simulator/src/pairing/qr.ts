/** Content of the QR code that a companion shows to the phone. */
export interface ScannedQr {
  ref: string;
  noiseKey: Buffer;
  identity: Buffer;
  advSecret: Buffer;
}

const KEY_BYTES = 32;

/** Reads the text of a QR code, both in the present form (a URL with the fields behind `#`) and the older one without. */
export function parseQr(text: string): ScannedQr | undefined {
  const [ref, ...keys] = text
    .slice(text.lastIndexOf('#') + 1)
    .trim()
    .split(',');
  const [noiseKey, identity, advSecret] = keys.slice(0, 3).map((key) => Buffer.from(key, 'base64'));
  if (!ref || !noiseKey || !identity || !advSecret) return undefined;
  const wellFormed = [noiseKey, identity, advSecret].every((key) => key.length === KEY_BYTES);
  return wellFormed ? { ref, noiseKey, identity, advSecret } : undefined;
}
