import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, IsOptional, Max, Min, ValidateBy } from 'class-validator';
import type { Metadata } from '../../content/message-details.js';
import { TimeBound } from '../instant.js';

const MOST_ENTRIES = 20;

const MOST_KEY_CHARACTERS = 40;

const MOST_VALUE_CHARACTERS = 500;

/** The time that a message waits for its session by default, in seconds. */
export const QUEUE_FOR_SECONDS = 3_600;

/** Longest wait in seconds, a day: a unit is of the day on which its message was accepted. */
const MOST_QUEUE_SECONDS = 86_400;

/** The longest time that a message may be scheduled ahead, in days: shorter than an upload is stored. */
export const SEND_AHEAD_DAYS = 28;

/** Choices of a send whose session is not connected. */
const ON_DISCONNECTED = ['fail', 'queue'] as const;

/** Rules for the metadata of a send: so few and so short that they may go along with every event. */
export function IsMetadata(): PropertyDecorator {
  return ValidateBy({
    name: 'isMetadata',
    validator: {
      validate: (value: unknown) => problemWith(value) === undefined,
      defaultMessage: (where) => `metadata ${problemWith(where?.value)}`,
    },
  });
}

/** Names the key that is wrong, never its value: it may be about a person. */
function problemWith(metadata: unknown): string | undefined {
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) {
    return 'must be an object of strings';
  }
  const entries = Object.entries(metadata);
  if (entries.length > MOST_ENTRIES) return `must not have more than ${MOST_ENTRIES} keys`;
  for (const [key, value] of entries) {
    if (key.length < 1 || key.length > MOST_KEY_CHARACTERS) {
      return `must have keys of 1 to ${MOST_KEY_CHARACTERS} characters`;
    }
    if (typeof value !== 'string' || value.length > MOST_VALUE_CHARACTERS) {
      return `${JSON.stringify(key)} must be a string of at most ${MOST_VALUE_CHARACTERS} characters`;
    }
  }
  return undefined;
}

/** The options of a send, beside recipient and content. */
export class SendOptions {
  @ApiPropertyOptional({
    description:
      'Your own words on the message, shown with it and repeated in each of its events: at most 20 keys of 1 to 40 characters, each with a string of at most 500.',
    type: 'object',
    additionalProperties: { type: 'string', maxLength: MOST_VALUE_CHARACTERS },
    maxProperties: MOST_ENTRIES,
    example: { orderId: '4711', shop: 'Berlin' },
  })
  @IsOptional()
  @IsMetadata()
  metadata?: Metadata;

  @TimeBound(
    'When it goes out: in the future, at most 28 days ahead. What a send of that moment would be refused for, it then fails of',
    '2026-02-01T08:00:00+01:00',
  )
  sendAt?: string;

  @ApiPropertyOptional({
    description:
      'What becomes of it while the session is not connected: fail, or left out, answers SESSION_NOT_CONNECTED; queue accepts it, and it waits for the session.',
    enum: ON_DISCONNECTED,
    example: 'queue',
  })
  @IsOptional()
  @IsIn(ON_DISCONNECTED)
  onDisconnected?: (typeof ON_DISCONNECTED)[number];

  @ApiPropertyOptional({
    description:
      'With onDisconnected queue alone: how long it waits for its session, in seconds from now or from sendAt; then it fails as EXPIRED. Left out: an hour.',
    type: 'integer',
    minimum: 1,
    maximum: MOST_QUEUE_SECONDS,
    example: QUEUE_FOR_SECONDS,
  })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(MOST_QUEUE_SECONDS)
  queueForSeconds?: number;
}
