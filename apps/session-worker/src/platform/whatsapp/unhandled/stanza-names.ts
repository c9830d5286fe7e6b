import { type BinaryNode, getAllBinaryNodeChildren } from '@whiskeysockets/baileys';
import { isBeginning } from './known-stanzas.js';

/** What a name may look like. What does not may say something of a person, and is not written down. */
const PLAIN = /^[A-Za-z][\w:.-]{0,59}$/;
const DIGITS = /\d{5}/;
/** Name of what has none that may be written down. */
const NAMELESS = 'nameless';
/** Parts of a message that are looked at. */
const MOST_PARTS = 20;

/** Gives the names under which a stanza is counted; a message has one for each kind of its parts, an answer has none. */
export function namesOf(stanza: BinaryNode): string[] {
  const { tag, attrs } = stanza;
  const [part] = getAllBinaryNodeChildren(stanza);
  switch (tag) {
    case 'iq':
      return attrs['type'] === 'result' || attrs['type'] === 'error'
        ? []
        : [nameFrom(tag, part?.tag ?? attrs['xmlns'])];
    case 'notification':
      return [nameFrom(tag, attrs['type'], operationOf(part) ?? part?.tag)];
    case 'receipt':
      return [nameFrom(tag, attrs['type'] ?? 'delivered')];
    case 'message':
      return [...new Set(getAllBinaryNodeChildren(stanza).slice(0, MOST_PARTS).map(nameOfPart))];
    default:
      return [nameFrom(tag, part?.tag)];
  }
}

const nameOfPart = ({ tag, attrs }: BinaryNode): string => nameFrom('message', tag, attrs['type']);

/** Names what an update of the platform's GraphQL is about. */
const operationOf = (part: BinaryNode | undefined): string | undefined => part?.attrs['op_name'];

/** Joins words to a name, as many as the table has for what begins so. */
function nameFrom(first: string, ...others: (string | undefined)[]): string {
  let name = plain(first);
  for (const word of others) if (isBeginning(name)) name += ` ${plain(word)}`;
  return name;
}

/** Gives a word as it is, if it is nothing but a name. */
export function plain(word: string | undefined): string {
  return word !== undefined && PLAIN.test(word) && !DIGITS.test(word) ? word : NAMELESS;
}
