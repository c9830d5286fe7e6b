/**
 * Stable hash of the conversation an event belongs to: the session and the chat, or the session alone where there is
 * no chat. First attempts of one conversation go out one after the other.
 */
export function conversationOf(data: object): number {
  const { sessionId, chatId, remoteJid, to } = data as Record<string, unknown>;
  let hash = 0x811c9dc5;
  for (const part of [sessionId, chatId ?? remoteJid ?? to]) {
    const text = typeof part === 'string' ? part : '';
    for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return hash | 0;
}
