import type { MessageBody, MessageRelation, OutboundContent } from '@svc/contracts';

/** Content and body that one kind of content makes of its field of the request. */
export interface Draft {
  /** Content for the worker. */
  readonly content: Readonly<OutboundContent>;
  /** Body for readers of the conversation. */
  readonly body: Readonly<MessageBody>;
  /** The message that the request names, and the field that does so. */
  readonly names?: { messageId: string; relation: MessageRelation; field: string };
  /** The file, where it came with the request. */
  readonly file?: Buffer;
}
