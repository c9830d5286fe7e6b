import { type BinaryNode, getAllBinaryNodeChildren } from '@whiskeysockets/baileys';
import type { Shape } from '../../unhandled-stanzas.js';
import { plain } from './stanza-names.js';

const MOST_LEVELS = 4;
const MOST_PARTS = 12;
const MOST_ATTRIBUTES = 20;

/** Describes how a stanza is built. None of its values is in it: they name people. */
export function shapeOf(stanza: BinaryNode, levels = MOST_LEVELS): Shape {
  const attributes = Object.entries(stanza.attrs).slice(0, MOST_ATTRIBUTES);
  const content = contentOf(stanza, levels);
  return {
    tag: plain(stanza.tag),
    attrs: Object.fromEntries(attributes.map(([name, value]) => [plain(name), String(value).length])),
    ...(content === undefined ? {} : { content }),
  };
}

function contentOf(stanza: BinaryNode, levels: number): Shape['content'] {
  const { content } = stanza;
  if (typeof content === 'string' || content instanceof Uint8Array) return content.length;
  if (!Array.isArray(content)) return undefined;
  if (levels <= 1) return content.length;
  return getAllBinaryNodeChildren(stanza)
    .slice(0, MOST_PARTS)
    .map((part) => shapeOf(part, levels - 1));
}
