import { v5 as uuidv5 } from 'uuid';

/** Id of the conversation of a session with a chat: whoever has a message knows it without asking. */
export function conversationIdOf(chat: { tenantId: string; sessionId: string; contact: string }): string {
  return uuidv5(`${chat.sessionId}|${chat.contact}`, chat.tenantId);
}
