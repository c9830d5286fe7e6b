const DATA = Buffer.from(',"data":');
const [OPENING_BRACE, CLOSING_BRACE] = [0x7b, 0x7d];

/**
 * Cuts the data out of an envelope as JSON, in bytes of its own: as it was published, because writing it once more costs more than reading it. Our
 * services write it last, behind fields without a brace. Where it looks otherwise, it is written once more.
 * @param json the envelope as it came.
 * @param plain what `JSON.parse` made of that.
 */
export function dataBytes(json: Uint8Array, plain: { data: object }): Buffer {
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.length);
  const at = bytes.indexOf(DATA);
  const start = at + DATA.length;
  const keys = Object.keys(plain);
  // Keys that are numbers come first here, wherever they are written.
  const isLast =
    keys.at(-1) === 'data' && !keys.some((key) => /^\d/.test(key)) && bytes.at(-1) === CLOSING_BRACE;
  // Not of an object inside, and no second time.
  const isOwn = at !== -1 && bytes.indexOf(OPENING_BRACE, 1) >= at && !bytes.includes(DATA, start);
  return isLast && isOwn ? Buffer.from(bytes.subarray(start, -1)) : Buffer.from(JSON.stringify(plain.data));
}
