import { v5 as uuidv5 } from 'uuid';

/** Chat of a session: with a contact, or in a group. */
export interface Chat {
  tenantId: string;
  sessionId: string;
  /** Address of the contact, or of the group. */
  contact: string;
}

/** Computes the id of the conversation of a session with a chat: it follows from the message, so whoever tells of one knows it. */
export function conversationIdOf({ tenantId, sessionId, contact }: Chat): string {
  return uuidv5(`${sessionId}|${contact}`, tenantId);
}
