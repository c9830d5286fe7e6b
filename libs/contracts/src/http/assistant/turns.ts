import { ApiProperty } from '@nestjs/swagger';

/** Outcomes of a turn: why the assistant answered, or did not. */
export const TURN_OUTCOMES = [
  'ANSWERED',
  'SHADOWED', // the answer is kept and not sent
  'HANDED_OFF', // the contact or the model asked for a person
  'HUMAN_ANSWERED', // a person wrote in the conversation meanwhile
  'HUMAN_OWNS', // the conversation is a person's
  'OFF',
  'NOT_MANAGED', // the session is EXTERNAL
  'NOT_CONFIGURED', // nobody has said which model
  'CONTACT_LEFT_OUT', // the settings leave the contact out
  'CONTACT_USED_UP', // the contact has had all answers of the day
  'OUTSIDE_HOURS', // the business is closed
  'SUBSCRIPTION', // the subscription does not allow it
  'TOKENS_USED_UP',
  'CALLS_USED_UP',
  'MESSAGES_USED_UP',
  'SESSION_AWAY', // the session takes no messages
  'PROVIDER_FAILED', // no model answered; the detail says what failed
  'REFUSED', // the message was refused, as a send by API would have been
  'TOO_LATE', // the last message had waited too long
] as const;
/** Value of `TURN_OUTCOMES`. */
export type TurnOutcome = (typeof TURN_OUTCOMES)[number];

/** One turn: messages of a contact that are answered together. */
export class TurnView {
  @ApiProperty({ description: 'Id of the turn.', format: 'uuid' })
  id: string;

  @ApiProperty({
    description: 'Address of the chat.',
    example: '4915112345678@s.whatsapp.net',
  })
  chat: string;

  @ApiProperty({ description: 'When its first message came.', example: '2026-01-31T12:00:00.000Z' })
  startedAt: string;

  @ApiProperty({
    description: 'When it ended; null: it has not.',
    type: String,
    nullable: true,
    example: '2026-01-31T12:00:09.000Z',
  })
  endedAt: string | null;

  @ApiProperty({
    description: 'Why it was answered, or not; null: it has not ended.',
    enum: TURN_OUTCOMES,
    nullable: true,
    example: 'ANSWERED',
  })
  outcome: TurnOutcome | null;

  @ApiProperty({
    description: 'More about the outcome, as the code of a refusal.',
    type: String,
    nullable: true,
    example: 'RATE_LIMITED',
  })
  detail: string | null;

  @ApiProperty({
    description: 'Version of the settings that it was answered by; null: it did not come to that.',
    type: 'integer',
    nullable: true,
    example: 3,
  })
  version: number | null;

  @ApiProperty({ description: 'Ids of the messages that were answered.', type: [String], format: 'uuid' })
  messages: string[];

  @ApiProperty({ description: 'Jobs of the answer, in order.', type: [String], format: 'uuid' })
  jobs: string[];

  @ApiProperty({ description: 'Tokens of all its calls.', type: 'integer', example: 420, minimum: 0 })
  tokens: number;
}
