import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayUnique, IsArray, IsString, Length } from 'class-validator';

const MOST_WORDS = 20;
const MOST_CHARACTERS = 40;

const words = (description: string, example: string[]) => ({
  description: `${description} A message that is one of them, and nothing else, counts; case, spaces and punctuation around it do not.`,
  type: 'array' as const,
  items: { type: 'string' as const, minLength: 1, maxLength: MOST_CHARACTERS },
  example,
  maxItems: MOST_WORDS,
  uniqueItems: true,
});

/** The words by which contacts opt out and in again: body of `PUT /v1/opt-out-words`, and its answer. */
export class OptOutWords {
  @ApiProperty(words('Words by which a contact opts out of your messages. Empty: there is none.', ['STOP']))
  @IsArray()
  @ArrayMaxSize(MOST_WORDS)
  @ArrayUnique()
  @IsString({ each: true })
  @Length(1, MOST_CHARACTERS, { each: true })
  words: string[];

  @ApiProperty(words('Words by which a contact opts in again.', ['START']))
  @IsArray()
  @ArrayMaxSize(MOST_WORDS)
  @ArrayUnique()
  @IsString({ each: true })
  @Length(1, MOST_CHARACTERS, { each: true })
  resumeWords: string[];
}

/** A contact who has opted out: sends to them are refused. */
export class OptOutView {
  @ApiProperty({ description: 'Address of the contact.', example: '4915112345678@s.whatsapp.net' })
  contact: string;

  @ApiProperty({
    description: 'Phone number in E.164 form; null where the platform hides it.',
    type: String,
    nullable: true,
    example: '+4915112345678',
  })
  phone: string | null;

  @ApiProperty({
    description: 'The word that the contact wrote, as it is compared; null: it was noted by API.',
    type: String,
    nullable: true,
    example: 'stop',
  })
  word: string | null;

  @ApiProperty({
    description: 'Session that received the word; null: it was noted by API.',
    type: String,
    format: 'uuid',
    nullable: true,
    example: '0198c0de-0000-7000-8000-000000000002',
  })
  sessionId: string | null;

  @ApiProperty({ description: 'Since when (ISO 8601, UTC).', example: '2026-01-31T12:00:00.000Z' })
  since: string;
}
