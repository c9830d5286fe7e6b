import { ApiProperty } from '@nestjs/swagger';
import { MessageView } from './messages.js';
import { BoundedCount } from './webhook-actions.js';

/** What is kept of a person, over all sessions of the tenant. */
export class ContactProfile {
  @ApiProperty({ description: 'Address.', example: '4915112345678@s.whatsapp.net' })
  contact: string;

  @ApiProperty({
    description: 'Phone number in E.164 form; null where the platform hides it.',
    type: String,
    nullable: true,
    example: '+4915112345678',
  })
  phone: string | null;

  @ApiProperty({
    description: 'The display name of the newest message that has one.',
    type: String,
    nullable: true,
    example: 'Ada',
  })
  name: string | null;

  @ApiProperty({
    description: 'Time of the oldest message (ISO 8601, UTC).',
    example: '2026-01-31T12:00:00.000Z',
  })
  firstSeenAt: string;

  @ApiProperty({
    description: 'Time of the newest message (ISO 8601, UTC).',
    example: '2026-01-31T12:00:00.000Z',
  })
  lastSeenAt: string;

  @ApiProperty({ description: 'Messages that the contact has written, also in groups.', type: BoundedCount })
  received: BoundedCount;

  @ApiProperty({ description: 'Messages to the contact, in every state.', type: BoundedCount })
  sent: BoundedCount;

  @ApiProperty({
    description: 'Conversations with the contact, at most 200: one for each session; none with groups.',
    type: [String],
    format: 'uuid',
    example: ['0198c0de-0000-5000-8000-000000000001'],
  })
  conversationIds: string[];
}

/** All that is kept of a person, as `GET /v1/contacts/:id/export` gives it. */
export class ContactExport {
  @ApiProperty({
    description: 'When this was asked for (ISO 8601, UTC).',
    example: '2026-01-31T12:00:00.000Z',
  })
  exportedAt: string;

  @ApiProperty({ description: 'The contact.', type: ContactProfile })
  contact: ContactProfile;

  @ApiProperty({
    description:
      'Every message with the contact, newest first, and behind them those that the contact has written in groups. The file of one: `GET /v1/messages/{id}/media`.',
    type: MessageView,
    isArray: true,
  })
  messages: MessageView[];
}
