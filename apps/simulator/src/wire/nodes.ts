import { inflateSync } from 'node:zlib';
import { ADDRESS_DOMAINS } from '@svc/contracts';
import * as constants from '@whiskeysockets/baileys/lib/WABinary/constants.js';
import { decodeDecompressedBinaryNode } from '@whiskeysockets/baileys/lib/WABinary/decode.js';
import { encodeBinaryNode } from '@whiskeysockets/baileys/lib/WABinary/encode.js';
import type { BinaryNode } from '@whiskeysockets/baileys/lib/WABinary/types.js';
import { ByteList } from './byte-list.js';

/** The server's own address; compared literally by the client. */
export const SERVER = `@${ADDRESS_DOMAINS.phone}`;

/** A stanza: tag, string attributes and children, bytes or text. */
export type Stanza = BinaryNode;

/** Attributes as written in code; absent ones are left out. */
export type Attributes = Record<string, string | number | undefined>;

const COMPRESSED = 2;
const LARGEST_NODE_BYTES = 32 * 1024 * 1024;

/**
 * The encoder counts a non-string attribute but does not write it, which corrupts the frame for the reader.
 * So everything becomes a string here and absent attributes never reach it.
 */
export function stanza(tag: string, attributes: Attributes = {}, content?: Stanza['content']): Stanza {
  const attrs: Record<string, string> = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) attrs[name] = String(value);
  }
  return content === undefined ? { tag, attrs } : { tag, attrs, content };
}

export const children = (node: Stanza | undefined): Stanza[] =>
  Array.isArray(node?.content) ? node.content : [];

export const child = (node: Stanza | undefined, tag: string): Stanza | undefined =>
  children(node).find((each) => each.tag === tag);

export const childrenNamed = (node: Stanza | undefined, tag: string): Stanza[] =>
  children(node).filter((each) => each.tag === tag);

/** Reads the content of a node as bytes: a dictionary word or digits are decoded as text, anything else as bytes. */
export function bytesOf(node: Stanza | undefined): Buffer | undefined {
  const content = node?.content;
  if (typeof content === 'string') return Buffer.from(content);
  return content instanceof Uint8Array ? Buffer.from(content) : undefined;
}

export const textOf = (node: Stanza | undefined): string | undefined => bytesOf(node)?.toString('utf8');

export const numberOf = (node: Stanza | undefined): number | undefined => {
  const bytes = bytesOf(node);
  return bytes && bytes.length > 0 && bytes.length <= 6 ? bytes.readUIntBE(0, bytes.length) : undefined;
};

/** Writes a big-endian number of a fixed width, as key ids and registration ids are written. */
export const bigEndian = (value: number, width: number): Buffer => {
  const bytes = Buffer.alloc(width);
  bytes.writeUIntBE(value, 0, width);
  return bytes;
};

export function encodeStanza(node: Stanza): Buffer {
  const bytes = new ByteList();
  bytes.push(0); // not compressed
  // The encoder only pushes, and `Buffer.from` takes the value of an object that is no array.
  return encodeBinaryNode(node, constants, bytes as unknown as number[]);
}

export function decodeStanza(plain: Buffer): Stanza {
  if (plain.length < 2) throw new Error('the node is empty');
  const compressed = (plain.readUInt8(0) & COMPRESSED) !== 0;
  const body = plain.subarray(1);
  const bytes = compressed ? inflateSync(body, { maxOutputLength: LARGEST_NODE_BYTES }) : body;
  return decodeDecompressedBinaryNode(bytes, constants);
}

export const seconds = (ms = Date.now()): number => Math.floor(ms / 1000);
