import type { SendMessageV1 } from '@svc/contracts';
import type { Message } from '../messages/message.entity.js';

/** What a send command is made of. */
export type Sendable = Pick<
  Message,
  | 'id'
  | 'tenantId'
  | 'sessionId'
  | 'contact'
  | 'body'
  | 'content'
  | 'clientMessageId'
  | 'metadata'
  | 'createdAt'
  | 'releasedAt'
  | 'expiresAt'
>;

/** What the worker is told of an outbound message. */
export function sendCommandOf({ id, body, metadata, expiresAt, ...row }: Sendable): SendMessageV1 {
  return {
    jobId: id,
    sessionId: row.sessionId,
    to: row.contact,
    content: row.content ?? { type: 'text', text: body.text ?? '' },
    clientMessageId: row.clientMessageId,
    // Its time counts from when it may go.
    acceptedAt: (row.releasedAt ?? row.createdAt).toISOString(),
    ...(metadata && { metadata }),
    ...(expiresAt && { expiresAt: expiresAt.toISOString() }),
  };
}
