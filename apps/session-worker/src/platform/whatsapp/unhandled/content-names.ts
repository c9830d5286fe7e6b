import { log } from '@svc/service';
import { proto, unpadRandomMax16 } from '@whiskeysockets/baileys';
import { unhandledStanzas } from '../../unhandled-stanzas.js';
import { knowledgeOf } from './known-stanzas.js';

/** Most unknown fields of one message that are counted. */
const MOST_FIELDS = 5;

/**
 * Counts a content of which people hear no more than that it was there, or nothing: by the name of its field, or by the number of one that the
 * library's schema does not have.
 * @param unsupported name of a content that was told as unsupported; undefined for one that was not told at all
 */
export function countContent(plaintext: Uint8Array, unsupported: string | undefined): void {
  if (unsupported !== undefined) return unhandledStanzas.countKnown(`content ${unsupported}`);
  try {
    countUntoldFields(plaintext);
  } catch (error) {
    // A message is read and told without it.
    log().error({ err: error }, 'the fields of a message cannot be counted');
  }
}

function countUntoldFields(plaintext: Uint8Array): void {
  const bytes = unpadRandomMax16(plaintext);
  const size = bytes.length;
  for (const number of unknownFields(bytes).slice(0, MOST_FIELDS))
    unhandledStanzas.countNew(`content field ${number}`, { tag: 'content', attrs: {}, content: size });
  const type = proto.Message.decode(bytes).protocolMessage?.type;
  if (type !== null && type !== undefined) countProtocolMessage(type, size);
}

function countProtocolMessage(type: proto.Message.ProtocolMessage.Type, size: number): void {
  const word: string | undefined = proto.Message.ProtocolMessage.Type[type];
  const name = `content protocolMessage ${word ?? type}`;
  if (word === undefined)
    unhandledStanzas.countNew(name, { tag: 'protocolMessage', attrs: {}, content: size });
  else if (knowledgeOf(name) !== 'handled') unhandledStanzas.countKnown(name);
}

/** Lists the numbers of the fields that the library skips: alone, they decode to nothing. */
function unknownFields(bytes: Uint8Array): number[] {
  return fieldsIn(bytes)
    .filter(({ from, to }) => Object.keys(proto.Message.decode(bytes.subarray(from, to))).length === 0)
    .map(({ number }) => number);
}

/** Place of a field in a protobuf message. */
interface Field {
  number: number;
  from: number;
  to: number;
}

/** Lists the fields of a protobuf message, which the library has decoded before: it is well-formed. */
function fieldsIn(bytes: Uint8Array): Field[] {
  const found: Field[] = [];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let factor = 1; at < bytes.length; factor *= 128) {
      const byte = bytes[at++] ?? 0;
      value += (byte % 128) * factor;
      if (byte < 128) break;
    }
    return value;
  };
  while (at < bytes.length) {
    const from = at;
    const key = varint();
    if (key % 8 === 0) varint();
    else if (key % 8 === 1) at += 8;
    else if (key % 8 === 2) {
      const length = varint();
      at += length;
    } else if (key % 8 === 5) at += 4;
    else break; // groups: nobody has sent one
    found.push({ number: Math.floor(key / 8), from, to: at });
  }
  return found;
}
