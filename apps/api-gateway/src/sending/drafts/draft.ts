import {
  MESSAGE_BODY_FIELDS,
  type MessageBody,
  type MessageBodyType,
  type MessageRelation,
  type OutboundContent,
} from '@svc/contracts';

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

/** Says whether messages of this kind show a field: what a kind has is said once, in its file in `libs/contracts/src/content/kinds`. */
export function shows(type: MessageBodyType, field: string): boolean {
  const { required, optional } = MESSAGE_BODY_FIELDS[type];
  const fields: readonly string[] = [...required, ...optional];
  return fields.includes(field);
}
