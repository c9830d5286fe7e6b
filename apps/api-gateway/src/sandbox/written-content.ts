import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** Kinds of content that a contact of the sandbox can write. */
const KINDS = [
  ...(['text', 'image', 'video', 'audio', 'document', 'sticker', 'location', 'contact', 'poll'] as const),
  ...(['reaction', 'edit', 'revoke', 'vote'] as const),
];
const MOST_FILE_BYTES = 10 * 1024 * 1024;

/** File that a contact writes. */
class WrittenFile {
  @ApiPropertyOptional({
    description: 'Makes a file of so many bytes, the same every time. Either this or `base64`.',
    type: 'integer',
    minimum: 1,
    maximum: MOST_FILE_BYTES,
    example: 100000,
  })
  size?: number;

  @ApiPropertyOptional({ description: 'The file.', example: 'R0lGODlhAQABAAAAACw=' })
  base64?: string;
}

/** Contact card that a contact writes. */
class WrittenCard {
  @ApiProperty({ description: 'Name on the card.', example: 'Ada', minLength: 1, maxLength: 200 })
  displayName: string;

  @ApiPropertyOptional({
    description: 'Its number, with its country code.',
    example: '4915550003000',
  })
  phone?: string;
}

const text = (description: string, example: string): PropertyDecorator =>
  ApiPropertyOptional({ description, example, minLength: 1 });
const flag = (description: string): PropertyDecorator => ApiPropertyOptional({ description, example: true });
const whole = (description: string, example: number): PropertyDecorator =>
  ApiPropertyOptional({ description, example, type: 'integer', minimum: 0 });
const list = (description: string, example: string[]): PropertyDecorator =>
  ApiPropertyOptional({ description, example, type: [String] });

/**
 * A message of any kind, as the simulator takes it: this class describes what is handed on to it, and the simulator checks it. Names are
 * those of `MessageBody` but for what a phone is told in another way: cards, files, and what may be looked at only once.
 */
export class WrittenContent {
  @ApiProperty({
    description:
      'Kind of content. text and edit need `text`, a file of its kind `media`, location `latitude` and `longitude`, contact `contacts`, poll `name` and `options`, reaction `emoji`, vote `choices`; what is about an earlier message needs `targetKeyId`.',
    enum: KINDS,
    example: 'image',
  })
  type: (typeof KINDS)[number];

  @text('The words of a text or an edit.', 'Are you open?')
  text?: string;

  @text('Words below an image, a video or a document.', 'The receipt')
  caption?: string;

  @ApiPropertyOptional({
    description: 'The file of an image, a video, an audio, a document or a sticker.',
    type: WrittenFile,
    example: { size: 100000 },
  })
  media?: WrittenFile;

  @text('Media type of the file; left out: the usual one of its kind.', 'image/jpeg')
  mimeType?: string;

  @text('File name of a document.', 'offer.pdf')
  filename?: string;

  @whole('Number of pages of a document, from 1.', 3)
  pageCount?: number;

  @whole('Length of an audio or a video.', 12)
  seconds?: number;

  @flag('Whether an audio is a voice note.')
  isPtt?: boolean;

  @flag('Whether a video is a round video note.')
  isPtv?: boolean;

  @flag('Whether a sticker moves.')
  isAnimated?: boolean;

  @ApiPropertyOptional({
    description: 'Degrees north of a location.',
    example: 52.52,
    minimum: -90,
    maximum: 90,
  })
  latitude?: number;

  @ApiPropertyOptional({
    description: 'Degrees east of a location.',
    example: 13.4,
    minimum: -180,
    maximum: 180,
  })
  longitude?: number;

  @text('Name of a place, or question of a poll.', 'Main station')
  name?: string;

  @text('Street address of a location.', 'Europaplatz 1')
  address?: string;

  @ApiPropertyOptional({ description: 'Cards of a contact message.', type: [WrittenCard], minItems: 1 })
  contacts?: WrittenCard[];

  @list('Choices of a poll.', ['yes', 'no'])
  options?: string[];

  @ApiPropertyOptional({ description: 'Emoji of a reaction; empty: it is taken back.', example: '👍' })
  emoji?: string;

  @list('Options of the poll that a vote is for; none: the vote is taken back.', ['yes'])
  choices?: string[];

  @text(
    '`keyId` of the message that a reaction, an edit, a revocation or a vote is about.',
    '3EB0C431C26A1916E07A',
  )
  targetKeyId?: string;

  @flag('Whether it may be looked at only once: `message.received` has it as `view_once`.')
  viewOnce?: boolean;

  @text('`keyId` of the message that this one answers.', '3EB0C431C26A1916E07A')
  quotedKeyId?: string;

  @list('Phone numbers of the people named in it.', ['4915550001000'])
  mentions?: string[];

  @whole('Seconds after which phones delete it.', 86400)
  disappearsAfter?: number;
}
