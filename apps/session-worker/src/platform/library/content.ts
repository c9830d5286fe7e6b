import { getContentType, normalizeMessageContent, proto, unpadRandomMax16 } from '@whiskeysockets/baileys';
import type { PlatformContent } from '../platform.js';

/** Decoded content of a padded plaintext; undefined when it is nothing for people. */
export function contentOf(plaintext: Uint8Array): PlatformContent | undefined {
  const decoded = proto.Message.decode(unpadRandomMax16(plaintext));
  const message = decoded.deviceSentMessage?.message ?? decoded;
  const inner = normalizeMessageContent(message) ?? message;
  const type = getContentType(inner);
  if (type === undefined || type === 'protocolMessage') return undefined;
  const viewOnce = message.viewOnceMessage ?? message.viewOnceMessageV2 ?? message.viewOnceMessageV2Extension;
  const plain = proto.Message.toObject(proto.Message.fromObject(inner), {
    longs: Number,
    bytes: String,
    defaults: false,
  });
  return { type, content: plain[type] as unknown, viewOnce: Boolean(viewOnce) };
}
