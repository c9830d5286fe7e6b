import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { MESSAGE_RELATIONS, type MessageRelation } from '../../content/parts/kind.js';
import { MESSAGE_ID } from '../../content/parts/target.js';
import { MessageBody } from '../../content/message-body.js';
import { MESSAGE_DIRECTIONS, type MessageDirection } from '../../content/message-names.js';
import { MessageMedia, MessageOrigin, type Metadata } from '../../content/message-details.js';
import { MESSAGE_STATUSES, type MessageStatus, type Sender, SENDERS } from '../../enums.js';
import { MessageFailure } from '../../events/outbound-message.js';

/** Parts of a request in which a repeat of its clientMessageId may ask for something else than the first one did. */
const REPEAT_DIFFERENCES = ['sessionId', 'to', 'content'] as const;
/** One of `REPEAT_DIFFERENCES`. */
export type RepeatDifference = (typeof REPEAT_DIFFERENCES)[number];

/** Answer of `POST /v1/messages`. */
export class QueuedMessage {
  @ApiProperty({
    description: 'Always QUEUED: what becomes of it is told by events.',
    enum: ['QUEUED'],
    example: 'QUEUED',
  })
  status: 'QUEUED';

  @ApiProperty({
    description: 'Job id; the id of the message in every later answer and event.',
    format: 'uuid',
  })
  jobId: string;

  @ApiProperty({ description: 'Session it goes out from.', format: 'uuid' })
  sessionId: string;

  @ApiProperty({
    description: 'Normalized address of the recipient.',
    example: '4915112345678@s.whatsapp.net',
  })
  to: string;

  @ApiPropertyOptional({
    description:
      'What the send named, where the account of that number is known to have another address: `to` is that of the account. Before the first message to it was sent, the event of that one tells it.',
    example: '5531987654321@s.whatsapp.net',
  })
  requestedTo?: string;

  @ApiProperty({
    description: 'The idempotency key, if one was given.',
    type: String,
    nullable: true,
    example: 'order-4711-ready',
  })
  clientMessageId: string | null;

  @ApiProperty({ description: 'When it was accepted (ISO 8601, UTC).', example: '2026-01-31T12:00:00.000Z' })
  createdAt: string;

  @ApiPropertyOptional({
    description: 'When it is to go out (ISO 8601, UTC), where the send said so.',
    example: '2026-02-01T07:00:00.000Z',
  })
  sendAt?: string;

  @ApiPropertyOptional({
    description:
      'Until when it waits for its session (ISO 8601, UTC), where it was sent with onDisconnected queue.',
    example: '2026-01-31T13:00:00.000Z',
  })
  expiresAt?: string;

  @ApiPropertyOptional({
    description:
      'true where the clientMessageId had a job already: this is the first one, and nothing was sent again.',
    example: true,
  })
  repeated?: boolean;

  @ApiPropertyOptional({
    description:
      'Of a repeat, what it asked for otherwise than the first request: the job goes on as it was asked for first. Look at it where one clientMessageId may have come to stand for two messages.',
    enum: REPEAT_DIFFERENCES,
    isArray: true,
    example: ['to'],
  })
  differs?: RepeatDifference[];
}

/** The message that another one answers, reacts to, edits or deletes. */
export class RelatedMessage {
  @ApiProperty({ description: 'How.', enum: MESSAGE_RELATIONS, example: 'REPLY' })
  relation: MessageRelation;

  @ApiProperty({ description: 'Its message id.', format: 'uuid' })
  messageId: string;
}

/** A state that a message has reached. */
export class MessageStep {
  @ApiProperty({ description: 'The state.', enum: MESSAGE_STATUSES, example: 'DELIVERED' })
  status: MessageStatus;

  @ApiProperty({
    description: 'When it was reached (ISO 8601, UTC), by the clock of whoever saw it.',
    example: '2026-01-31T12:00:01.000Z',
  })
  at: string;
}

/** Content of a message since it was edited. */
export class MessageEdit {
  @ApiProperty({ description: 'Id of the message that is the edit.', format: 'uuid' })
  messageId: string;

  @ApiProperty({ description: 'The new content.', type: MessageBody })
  body: MessageBody;

  @ApiProperty({
    description: 'When it was edited (ISO 8601, UTC).',
    example: '2026-01-31T12:05:00.000Z',
  })
  at: string;
}

/** One message as `GET /v1/messages` shows it. */
export class MessageView {
  @ApiProperty({
    description: 'Message id; the job id of an outbound message.',
    format: 'uuid',
    example: MESSAGE_ID,
  })
  id: string;

  @ApiProperty({
    description: 'Job id of what was sent through the API; null of all else.',
    type: String,
    nullable: true,
    format: 'uuid',
    example: MESSAGE_ID,
  })
  jobId: string | null;

  @ApiProperty({ description: 'Session.', format: 'uuid' })
  sessionId: string;

  @ApiProperty({
    description: 'Conversation of session and contact: `GET /v1/conversations/{id}/messages`.',
    format: 'uuid',
  })
  conversationId: string;

  @ApiProperty({
    description: 'OUTBOUND: the number wrote it, through the API or on the phone. INBOUND: it arrived.',
    enum: MESSAGE_DIRECTIONS,
    example: 'OUTBOUND',
  })
  direction: MessageDirection;

  @ApiProperty({ description: 'Where it stands.', enum: MESSAGE_STATUSES, example: 'DELIVERED' })
  status: MessageStatus;

  @ApiProperty({ description: "The other side's address.", example: '4915112345678@s.whatsapp.net' })
  contact: string;

  @ApiProperty({
    description:
      'What the send named, where the account of that number has another address; `contact` is that of the account. Null everywhere else.',
    type: String,
    nullable: true,
    example: null,
  })
  requestedTo: string | null;

  @ApiProperty({
    description:
      'Content, as it was sent. An edit is a message with the new text, a deletion one that is unsupported; what they are about stays as it was, and says so in edited and deletedAt.',
    type: MessageBody,
  })
  body: MessageBody;

  @ApiProperty({
    description: 'What it says since its author edited it; null: it was not edited.',
    type: MessageEdit,
    nullable: true,
    example: null,
  })
  edited: MessageEdit | null;

  @ApiProperty({
    description: 'When its author deleted it (ISO 8601, UTC); null: it was not deleted.',
    type: String,
    nullable: true,
    example: null,
  })
  deletedAt: string | null;

  @ApiProperty({
    description: 'The message that an outbound message answers, reacts to, edits or deletes.',
    type: RelatedMessage,
    nullable: true,
    example: null,
  })
  relatesTo: RelatedMessage | null;

  @ApiProperty({
    description:
      'Who wrote it and what it refers to, of what came from the platform; null of what was sent through the API.',
    type: MessageOrigin,
    nullable: true,
    example: null,
  })
  origin: MessageOrigin | null;

  @ApiProperty({
    description: 'The file of a message that arrived with one.',
    type: MessageMedia,
    nullable: true,
    example: null,
  })
  media: MessageMedia | null;

  @ApiProperty({
    description: 'Platform message key, once known.',
    type: String,
    nullable: true,
    example: '3EB0C0FFEE',
  })
  keyId: string | null;

  @ApiProperty({
    description: 'The idempotency key of the send, if any.',
    type: String,
    nullable: true,
    example: 'order-4711',
  })
  clientMessageId: string | null;

  @ApiProperty({
    description: 'The metadata of the send, if any.',
    type: 'object',
    additionalProperties: { type: 'string' },
    nullable: true,
    example: { orderId: '4711' },
  })
  metadata: Metadata | null;

  @ApiProperty({
    description:
      'Who sent it. API: your software, with a key. ASSISTANT: the built-in AI. MEMBER: a member of your team, by hand. Null of what arrived, of what was written on the phone, and of what was sent before this was kept.',
    enum: SENDERS,
    nullable: true,
    example: 'API',
  })
  sentBy: Sender | null;

  @ApiProperty({
    description: 'When it is, or was, to go out (ISO 8601, UTC), where the send said so: QUEUED until then.',
    type: String,
    nullable: true,
    example: null,
  })
  sendAt: string | null;

  @ApiProperty({
    description:
      'Until when it waits for its session (ISO 8601, UTC), where it was sent with onDisconnected queue.',
    type: String,
    nullable: true,
    example: null,
  })
  expiresAt: string | null;

  @ApiProperty({
    description: 'Why it failed; null unless status is FAILED.',
    type: MessageFailure,
    nullable: true,
    example: null,
  })
  failure: MessageFailure | null;

  @ApiProperty({
    description:
      'The states it has come through, in the order of the way: QUEUED, SENT, DELIVERED, READ, or FAILED; RECEIVED of an inbound message. What was never told is not in it, e.g. READ where the contact keeps that to himself.',
    type: MessageStep,
    isArray: true,
    example: [
      { status: 'QUEUED', at: '2026-01-31T12:00:00.000Z' },
      { status: 'SENT', at: '2026-01-31T12:00:00.500Z' },
      { status: 'DELIVERED', at: '2026-01-31T12:00:01.000Z' },
    ],
  })
  timeline: MessageStep[];

  @ApiProperty({
    description: 'When it was accepted or received (ISO 8601, UTC).',
    example: '2026-01-31T12:00:00.000Z',
  })
  createdAt: string;

  @ApiProperty({
    description: 'When its status last changed (ISO 8601, UTC).',
    example: '2026-01-31T12:00:01.000Z',
  })
  updatedAt: string;

  @ApiProperty({ description: 'As id: the name that events have for it.', format: 'uuid' })
  messageId: string;

  @ApiProperty({
    description: 'As contact, under the name of events: the address of the chat, answers go to it.',
    example: '4915112345678@s.whatsapp.net',
  })
  chatId: string;

  @ApiProperty({ description: 'Whether the chat is a group.', example: false })
  isGroup: boolean;

  @ApiProperty({
    description: 'Whether the number itself wrote it: true of every outbound message, as in its events.',
    example: true,
  })
  fromMe: boolean;

  @ApiProperty({
    description:
      'As contact, of an outbound message: the name that its events have; null of one that arrived.',
    type: String,
    nullable: true,
    example: '4915112345678@s.whatsapp.net',
  })
  to: string | null;

  @ApiProperty({
    description:
      'As origin.sender, under the name of events: the address of who wrote it; answers go to `chatId`. null of what was sent through the API.',
    type: String,
    nullable: true,
    example: null,
  })
  remoteJid: string | null;

  @ApiProperty({
    description:
      'Phone number of who wrote it in E.164 form, as in `message.received`; null where the platform hides it, and of what was sent through the API.',
    type: String,
    nullable: true,
    example: null,
  })
  phone: string | null;

  @ApiProperty({
    description:
      'When the platform took it (ISO 8601, UTC): the timestamp of `message.received` and of `message.sent`; null until it has.',
    type: String,
    nullable: true,
    example: '2026-01-31T12:00:00.000Z',
  })
  timestamp: string | null;

  @ApiProperty({
    description:
      'As createdAt, of a message that came from the platform: the name that `message.received` has; null of what was sent through the API.',
    type: String,
    nullable: true,
    format: 'date-time',
    example: null,
  })
  receivedAt: string | null;
}

/** Answer of `POST /v1/messages/:jobId/cancel`. */
export class CanceledMessage {
  @ApiProperty({
    description: 'Always FAILED: it does not go out any more.',
    enum: ['FAILED'],
    example: 'FAILED',
  })
  status: 'FAILED';

  @ApiProperty({ description: 'Job id of the message.', format: 'uuid' })
  jobId: string;

  @ApiProperty({ description: 'Its code is CANCELED; message.failed tells the same.', type: MessageFailure })
  failure: MessageFailure;
}
