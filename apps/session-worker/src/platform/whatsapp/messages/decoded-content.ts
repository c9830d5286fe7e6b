import { getContentType, normalizeMessageContent, proto, unpadRandomMax16 } from '@whiskeysockets/baileys';
import type { MessageChangeKind } from '@svc/contracts';
import { log } from '@svc/service';

/** Content of a message in the platform's words, as plain JSON. */
export interface DecodedContent {
  /** Name of the field of the platform's message that is set, e.g. `imageMessage`. */
  type: string;
  content: unknown;
  /** Sent as "view once". */
  viewOnce: boolean;
  change?: { kind: MessageChangeKind; keyId: string };
  quoted?: { keyId: string; author?: string; content?: DecodedContent };
  mentions?: string[];
}

const { REVOKE, MESSAGE_EDIT } = proto.Message.ProtocolMessage.Type;

/** Decodes the content of a padded plaintext; undefined when it is nothing for people. Whatever a stranger wrote, it does not throw. */
export function readContent(plaintext: Uint8Array): DecodedContent | 'UNREADABLE' | undefined {
  try {
    const decoded = proto.Message.decode(unpadRandomMax16(plaintext));
    return described(decoded.deviceSentMessage?.message ?? decoded);
  } catch (error) {
    log().error({ err: error }, 'a message cannot be read: it is told without its content');
    return 'UNREADABLE';
  }
}

function described(message: proto.IMessage): DecodedContent | undefined {
  const inner = normalizeMessageContent(message) ?? message;
  const type = getContentType(inner);
  if (type === undefined) return undefined;
  if (type === 'protocolMessage') return changed(inner.protocolMessage);
  const viewOnce = message.viewOnceMessage ?? message.viewOnceMessageV2 ?? message.viewOnceMessageV2Extension;
  const plain = proto.Message.toObject(proto.Message.fromObject(inner), {
    longs: Number,
    bytes: String,
    defaults: false,
  });
  return {
    type,
    content: plain[type] as unknown,
    viewOnce: Boolean(viewOnce),
    ...contextOf((inner[type] as { contextInfo?: proto.IContextInfo | null }).contextInfo),
  };
}

/** Reads an edit or a revocation of an earlier message; all else of this kind is among the devices. */
function changed(message?: proto.Message.IProtocolMessage | null): DecodedContent | undefined {
  const keyId = message?.key?.id;
  if (!keyId) return undefined;
  if (message.type === MESSAGE_EDIT && message.editedMessage) {
    const edited = described(message.editedMessage);
    return edited && { ...edited, change: { kind: 'EDITED', keyId } };
  }
  if (message.type !== REVOKE) return undefined;
  return { type: 'protocolMessage', content: {}, viewOnce: false, change: { kind: 'REVOKED', keyId } };
}

function contextOf(context?: proto.IContextInfo | null): Pick<DecodedContent, 'quoted' | 'mentions'> {
  const { stanzaId, participant, quotedMessage, mentionedJid } = context ?? {};
  const content = quotedMessage ? described(quotedMessage) : undefined;
  return {
    ...(stanzaId
      ? {
          quoted: {
            keyId: stanzaId,
            ...(participant ? { author: participant } : {}),
            ...(content ? { content } : {}),
          },
        }
      : {}),
    ...(mentionedJid?.length ? { mentions: mentionedJid } : {}),
  };
}
