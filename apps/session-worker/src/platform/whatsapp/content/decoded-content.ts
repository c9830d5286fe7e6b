import { getContentType, proto, unpadRandomMax16 } from '@whiskeysockets/baileys';
import type { MessageChangeKind, MessageReferral } from '@svc/contracts';
import { log } from '@svc/service';
import { boundedId } from '../stanzas/jids.js';
import type { ChatTimer } from '../../messages.js';
import { associationIn } from './associations.js';
import { READINGS, TECHNICAL } from './readings.js';
import { referralIn } from './referral.js';
import { SEALED, type Sealed } from './sealed-content.js';

const MOST_ENVELOPES = 8;
/** Most mentions of a message; each of them is looked up. */
const MOST_MENTIONS = 1_000;

/** Content of a message in the platform's terms, as plain JSON. */
export interface DecodedContent {
  /** Name of the field of the platform's message that is set, e.g. `imageMessage`. */
  type: string;
  content: unknown;
  /** True when it was sent as "view once". */
  viewOnce: boolean;
  change?: { kind: MessageChangeKind; keyId: string };
  quoted?: { keyId: string; author?: string; content?: DecodedContent };
  mentions?: string[];
  /** The own number is among them: whoever knows the own addresses says it. */
  mentionsMe?: true;
  referral?: MessageReferral;
  isForwarded?: true;
  /** Timer of its chat, as it names it. */
  timer?: ChatTimer;
  /** Timer that it gives its chat; it says nothing else. */
  setting?: ChatTimer;
  /** Id of the album that it belongs to. */
  albumOf?: string;
  /** Words of it that are still sealed. */
  sealed?: Sealed;
  /** Author of the poll that it is a vote in, where it names one, and its time in Unix milliseconds. */
  vote?: { participant: string | undefined; at: number | undefined };
}

const { REVOKE, MESSAGE_EDIT, EPHEMERAL_SETTING } = proto.Message.ProtocolMessage.Type;

/** Decodes the content of a padded plaintext; undefined when it is nothing for people. Whatever a stranger wrote, it does not throw. */
export function readContent(plaintext: Uint8Array): DecodedContent | 'UNREADABLE' | undefined {
  try {
    const decoded = proto.Message.decode(unpadRandomMax16(plaintext));
    const message = decoded.deviceSentMessage?.message ?? decoded;
    const { inner } = unwrap(message);
    const { albumOf, isCopy } = associationIn([message, inner]);
    const content = isCopy ? undefined : described(message);
    return content && albumOf ? { ...content, albumOf } : content;
  } catch (error) {
    log().error({ err: error }, 'a message cannot be read: it is told without its content');
    return 'UNREADABLE';
  }
}

/**
 * Limit on reading a message that lies inside another one. A stranger may nest messages without end: of a quote only its text is
 * read.
 */
interface Depth {
  quotes: boolean;
  edits: boolean;
}

const WHOLE: Depth = { quotes: true, edits: true };
const EDITED: Depth = { quotes: true, edits: false };
const QUOTED: Depth = { quotes: false, edits: false };

function described(message: proto.IMessage, depth = WHOLE): DecodedContent | undefined {
  const { inner, viewOnce } = unwrap(message);
  const type = typeOf(inner);
  if (type === undefined || TECHNICAL.has(type)) return undefined;
  const readChange = type === 'protocolMessage' ? changed : SEALED.get(type);
  if (readChange) return depth.edits ? readChange(inner) : undefined;
  const value: unknown = inner[type];
  // A text alone is no object: taken apart as one, each of its characters would become a field.
  const { contextInfo, ...bare } = (typeof value === 'object' ? value : {}) as {
    contextInfo?: proto.IContextInfo | null;
  };
  const said = typeof value === 'object' ? bare : value;
  const plain = proto.Message.toObject(proto.Message.fromObject({ [type]: said }), {
    longs: Number,
    bytes: String,
    defaults: false,
  });
  const context = depth.quotes ? contextOf(contextInfo) : {};
  return { type, content: plain[type] as unknown, viewOnce, ...context };
}

/** Takes a message out of its envelopes: a field with a message inside is one, also an unknown one. */
function unwrap(message: proto.IMessage): { inner: proto.IMessage; viewOnce: boolean } {
  let [inner, viewOnce] = [message, false];
  for (let depth = 0; depth < MOST_ENVELOPES; depth += 1) {
    const envelope = Object.entries(inner).find(([, value]) => isEnvelope(value));
    if (!envelope) break;
    const [name, { message: within }] = envelope as [string, { message: proto.IMessage }];
    viewOnce ||= name.startsWith('viewOnce');
    inner = within;
  }
  return { inner, viewOnce };
}

function isEnvelope(value: unknown): boolean {
  const { message } = Object(value) as { message?: unknown };
  return typeof message === 'object' && message !== null;
}

/** Names the field that says what the message is: the first one with a reader, else the first that may be. */
function typeOf(message: proto.IMessage): keyof proto.IMessage | undefined {
  const entry = Object.entries(message).find(([name, value]) => value !== null && READINGS.has(name));
  return (entry?.[0] as keyof proto.IMessage | undefined) ?? getContentType(message);
}

/** Reads the new message of an edit, whose words have been opened. */
export function editedContent(message: proto.IMessage): DecodedContent | undefined {
  return described(message, EDITED);
}

/** Reads an edit or a revocation of an earlier message, or a timer of the chat; all else of this kind is among the devices. */
function changed({ protocolMessage: message }: proto.IMessage): DecodedContent | undefined {
  if (message?.type === EPHEMERAL_SETTING) return settingIn(message);
  if (!message?.key?.id) return undefined;
  const keyId = boundedId(message.key.id);
  if (message.type === MESSAGE_EDIT && message.editedMessage) {
    const edited = described(message.editedMessage, EDITED);
    return edited && { ...edited, change: { kind: 'EDITED', keyId } };
  }
  if (message.type !== REVOKE) return undefined;
  return { type: 'protocolMessage', content: {}, viewOnce: false, change: { kind: 'REVOKED', keyId } };
}

function settingIn(message: proto.Message.IProtocolMessage): DecodedContent {
  const setting = timerIn(message.ephemeralExpiration, message.ephemeralSettingTimestamp);
  return { type: 'protocolMessage', content: {}, viewOnce: false, setting };
}

function contextOf(
  context?: proto.IContextInfo | null,
): Pick<DecodedContent, 'quoted' | 'mentions' | 'referral' | 'isForwarded' | 'timer'> {
  if (!context) return {};
  const { mentionedJid, isForwarded, expiration, ephemeralSettingTimestamp } = context;
  const [quoted, referral] = [quotedIn(context), referralIn(context)];
  const mentions = [...new Set(mentionedJid)].slice(0, MOST_MENTIONS);
  return {
    ...(quoted ? { quoted } : {}),
    ...(mentions.length > 0 ? { mentions } : {}),
    ...(referral ? { referral } : {}),
    ...(isForwarded ? { isForwarded } : {}),
    ...(expiration ? { timer: timerIn(expiration, ephemeralSettingTimestamp) } : {}),
  };
}

function quotedIn({
  stanzaId,
  participant,
  quotedMessage,
}: proto.IContextInfo): DecodedContent['quoted'] | undefined {
  if (!stanzaId) return undefined;
  const content = quotedMessage ? described(quotedMessage, QUOTED) : undefined;
  return {
    keyId: boundedId(stanzaId),
    ...(participant ? { author: participant } : {}),
    ...(content ? { content } : {}),
  };
}

function timerIn(
  seconds: number | null | undefined,
  setAt: proto.IContextInfo['ephemeralSettingTimestamp'],
): ChatTimer {
  return { seconds: seconds ?? 0, setAt: Number(setAt ?? 0) };
}
