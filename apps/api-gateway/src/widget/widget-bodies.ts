import { ApiProperty, ApiPropertyOptional, PartialType } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  ArrayUnique,
  IsArray,
  IsIn,
  IsString,
  IsUUID,
  Length,
  Matches,
  MaxLength,
  ValidateBy,
} from 'class-validator';
import { MayBeAbsent } from '@svc/contracts';
import { WIDGET_LANGUAGES, WIDGET_SIDES, type WidgetLanguage, type WidgetSide } from './widget-words.js';

/** Origin as a browser sends it: scheme, host, port where it is not the usual one. */
const ORIGIN = /^https?:\/\/[a-z0-9.-]+(:\d{1,5})?$/;
/** A host is made of labels that begin and end with a letter or digit. */
const HOST = /^https?:\/\/[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*(:\d+)?$/;
const NO_ORIGIN = 'each of allowedOrigins must be an origin, as https://www.example.com';

/** The rule is not in the description: the pattern there is that of the last release, and no browser says what lies between the two. */
const HasHost = (): PropertyDecorator =>
  ValidateBy(
    { name: 'hasHost', validator: { validate: (value) => typeof value === 'string' && HOST.test(value) } },
    { each: true, message: NO_ORIGIN },
  );

/** Body of `POST /v1/widgets`. */
export class CreateWidgetBody {
  @ApiProperty({ description: 'Session whose number people write to.', format: 'uuid' })
  @IsUUID()
  sessionId: string;

  @ApiProperty({
    description: 'Heading of the window, and name of the button.',
    example: 'Questions?',
    minLength: 1,
    maxLength: 60,
  })
  @IsString()
  @Length(1, 60)
  title: string;

  @ApiProperty({
    description: 'What it says below.',
    example: 'We answer within minutes.',
    minLength: 1,
    maxLength: 500,
  })
  @IsString()
  @Length(1, 500)
  greeting: string;

  @ApiProperty({
    description: 'Pages that may show it, as origins: scheme, host, and port where it is not the usual one.',
    type: 'array',
    items: { type: 'string', pattern: ORIGIN.source, maxLength: 200 },
    example: ['https://www.example.com'],
    minItems: 1,
    maxItems: 20,
    uniqueItems: true,
  })
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(20)
  @ArrayUnique()
  @MaxLength(200, { each: true })
  @Matches(ORIGIN, { each: true, message: NO_ORIGIN })
  @HasHost()
  allowedOrigins: string[];

  @ApiPropertyOptional({
    description: 'Text that the chat begins with, for the visitor to send.',
    example: 'Hello!',
    maxLength: 500,
  })
  @MayBeAbsent()
  @IsString()
  @MaxLength(500)
  prefilledText?: string;

  @ApiPropertyOptional({
    description: 'Colour of the button.',
    pattern: '^#[0-9a-fA-F]{6}$',
    example: '#128c7e',
  })
  @MayBeAbsent()
  @Matches(/^#[0-9a-fA-F]{6}$/, { message: 'color must be # and six hexadecimal digits' })
  color?: string;

  @ApiPropertyOptional({ description: 'Corner of the page.', enum: WIDGET_SIDES, example: 'right' })
  @MayBeAbsent()
  @IsIn(WIDGET_SIDES)
  side?: WidgetSide;

  @ApiPropertyOptional({
    description: 'Language of what it says by itself.',
    enum: WIDGET_LANGUAGES,
    example: 'en',
  })
  @MayBeAbsent()
  @IsIn(WIDGET_LANGUAGES)
  language?: WidgetLanguage;
}

/** Body of `PATCH /v1/widgets/:id`: what is left out stays. */
export class UpdateWidgetBody extends PartialType(CreateWidgetBody, { skipNullProperties: false }) {}

/** A widget. */
export class WidgetView {
  @ApiProperty({ description: 'Widget id.', format: 'uuid' })
  id: string;

  @ApiProperty({ description: 'Session whose number people write to.', format: 'uuid' })
  sessionId: string;

  @ApiProperty({ description: 'Heading of the window.', example: 'Questions?' })
  title: string;

  @ApiProperty({ description: 'What it says below.', example: 'We answer within minutes.' })
  greeting: string;

  @ApiProperty({ description: 'Text that the chat begins with; may be empty.', example: 'Hello!' })
  prefilledText: string;

  @ApiProperty({ description: 'Colour of the button.', example: '#128c7e' })
  color: string;

  @ApiProperty({ description: 'Corner of the page.', enum: WIDGET_SIDES, example: 'right' })
  side: WidgetSide;

  @ApiProperty({ description: 'Language of what it says by itself.', enum: WIDGET_LANGUAGES, example: 'en' })
  language: WidgetLanguage;

  @ApiProperty({
    description: 'Pages that may show it.',
    type: [String],
    example: ['https://www.example.com'],
  })
  allowedOrigins: string[];

  @ApiProperty({
    description: 'What to put on the page.',
    example: '<script async src="https://api.example.com/v1/public/widget/…/widget.js"></script>',
  })
  embed: string;

  @ApiProperty({ description: 'When it was created (ISO 8601, UTC).', example: '2026-01-31T12:00:00.000Z' })
  createdAt: string;
}

/** A QR code as a drawing of squares. */
export class QrDrawing {
  @ApiProperty({ description: 'Squares a side.', type: 'integer', example: 29, minimum: 21 })
  size: number;

  @ApiProperty({ description: 'The dark squares, as `d` of an SVG path.', example: 'M0 0h7v1h-7z' })
  path: string;
}

/** Labels that the script shows. */
export class WidgetLabels {
  @ApiProperty({ description: 'On the link.', example: 'Open the chat' })
  open: string;

  @ApiProperty({ description: 'Name of the button that closes.', example: 'Close' })
  close: string;

  @ApiProperty({ description: 'Below the QR code.', example: 'Or scan with your phone' })
  scan: string;

  @ApiProperty({ description: 'Name of the QR code.', example: 'QR code of the chat' })
  code: string;
}

/** Answer of `GET /v1/public/widget/:id/config`: what the tenant wants shown, and the number. */
export class WidgetConfig {
  @ApiProperty({ description: 'Heading of the window.', example: 'Questions?' })
  title: string;

  @ApiProperty({ description: 'What it says below.', example: 'We answer within minutes.' })
  greeting: string;

  @ApiProperty({
    description: 'Opens the chat; null while the session has no number.',
    type: String,
    nullable: true,
    example: 'https://wa.me/4915112345678?text=Hello',
  })
  link: string | null;

  @ApiProperty({ description: 'The link as a QR code.', type: QrDrawing, nullable: true })
  qr: QrDrawing | null;

  @ApiProperty({ description: 'Colour of the button.', example: '#128c7e' })
  color: string;

  @ApiProperty({ description: 'Black or white, whichever can be read on it.', example: '#ffffff' })
  ink: string;

  @ApiProperty({ description: 'Corner of the page.', enum: WIDGET_SIDES, example: 'right' })
  side: WidgetSide;

  @ApiProperty({ description: 'Language of the labels.', enum: WIDGET_LANGUAGES, example: 'en' })
  language: WidgetLanguage;

  @ApiProperty({ description: 'What it says by itself.', type: WidgetLabels })
  words: WidgetLabels;
}
