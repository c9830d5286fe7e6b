import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  IsBoolean,
  IsDefined,
  IsIn,
  IsNotEmpty,
  IsNumber,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Matches,
  MaxLength,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { NO_CONTROL_CHARACTERS } from '../../patterns.js';
import { field } from '../parts/field.js';
import { defineContent } from '../parts/kind.js';
import { MEDIA_KINDS, type MediaKind, MIME_TYPE } from './media-rules.js';

/** A file to send, with exactly one of `url`, `base64` and `mediaId`. */
export class MediaRequest {
  @ApiProperty({
    description:
      'What phones show it as. Up to 16 MiB as image or audio, 64 MiB as video, 100 MiB as document, 1 MiB as sticker. An image is JPEG or PNG, a sticker WebP; what phones show of other pictures is a grey box: send them as document.',
    enum: MEDIA_KINDS,
    example: 'image',
  })
  @IsIn(MEDIA_KINDS)
  kind: MediaKind;

  @ApiPropertyOptional({
    description:
      'https address that the file is fetched from when the message goes out; up to ten redirects are followed.',
    example: 'https://example.com/receipt.png',
    maxLength: 2048,
  })
  @IsOptional()
  @IsString()
  @MaxLength(2048)
  url?: string;

  @ApiPropertyOptional({
    description:
      'The file itself, in base64 as your client writes it (also in lines, with the alphabet of URLs, or as a data URL); what does not fit into a body is uploaded first.',
    example: 'iVBORw0KGgo=',
    minLength: 1,
  })
  @IsOptional()
  @IsString()
  @IsNotEmpty()
  base64?: string;

  @ApiPropertyOptional({
    description: 'A file uploaded before with POST /v1/media; it may be sent as often as wanted for 30 days.',
    format: 'uuid',
    example: '0198c0de-0000-7000-8000-0000000000d1',
  })
  @IsOptional()
  @IsUUID()
  mediaId?: string;

  @ApiPropertyOptional({
    description:
      'Media type, with its parameters. Needed with base64 unless that is a data URL; else what the upload or the answer of the address says, or the first bytes of the file.',
    example: 'image/png',
    pattern: MIME_TYPE,
  })
  @IsOptional()
  @IsString()
  @Matches(new RegExp(MIME_TYPE, 'u'), { message: 'mimeType must be a media type such as image/png' })
  mimeType?: string;

  @ApiPropertyOptional({
    description: 'Name of a document.',
    example: 'offer.pdf',
    minLength: 1,
    maxLength: 255,
    pattern: NO_CONTROL_CHARACTERS,
  })
  @IsOptional()
  @IsString()
  @Length(1, 255)
  @Matches(new RegExp(NO_CONTROL_CHARACTERS, 'u'), {
    message: 'filename must not contain control characters',
  })
  filename?: string;

  @ApiPropertyOptional({
    description: 'Text below an image, a video or a document.',
    example: 'The receipt',
    minLength: 1,
    maxLength: 4096,
  })
  @IsOptional()
  @IsString()
  @Length(1, 4096)
  caption?: string;

  @ApiPropertyOptional({
    description: 'Whether an audio is a voice note; phones play ogg with the opus codec as such.',
    example: false,
  })
  @IsOptional()
  @IsBoolean()
  voice?: boolean;
}

/** A file: one that was stored under `mediaId`, or one to be fetched from `url`. */
export class MediaContent {
  @ValidateIf(({ url }: MediaContent) => url === undefined) @IsUUID() mediaId?: string;
  @IsOptional() @IsString() url?: string;
  /** Media type; absent: the one in the answer to the fetch. */
  @IsOptional() @IsString() mimeType?: string;
  @IsOptional() @IsString() filename?: string;
  @IsOptional() @IsString() caption?: string;
  /** A voice note. */
  @IsOptional() @IsBoolean() voice?: boolean;
}

const SENDING = {
  request: {
    media: field<MediaRequest>(
      ApiPropertyOptional({ description: 'A file.', type: MediaRequest }),
      IsOptional(),
      ValidateNested(),
      Type(() => MediaRequest),
    ),
  },
  wire: {
    media: field<MediaContent>(
      IsDefined(),
      ValidateNested(),
      Type(() => MediaContent),
    ),
  },
  canReply: true,
  canMention: false,
  hasFile: true,
  relation: null,
} as const;

const caption = field<string>(
  ApiPropertyOptional({ type: String, description: 'The caption.', example: 'The receipt' }),
  IsOptional(),
  IsString(),
);
const mimeType = field<string>(
  ApiPropertyOptional({ type: String, description: 'Media type.', example: 'image/jpeg' }),
  IsOptional(),
  IsString(),
);
const seconds = field<number>(
  ApiPropertyOptional({ type: Number, description: 'Length in seconds.', example: 12 }),
  IsOptional(),
  IsNumber(),
);

/** A picture. */
const image = defineContent({ sending: SENDING, body: { required: {}, optional: { caption, mimeType } } });

/** A video, or a round video note. */
const video = defineContent({
  sending: SENDING,
  body: {
    required: {},
    optional: {
      caption,
      mimeType,
      seconds,
      isPtv: field<boolean>(
        ApiPropertyOptional({
          type: Boolean,
          description: 'Whether it is a round video note.',
          example: false,
        }),
        IsOptional(),
        IsBoolean(),
      ),
    },
  },
});

/** A sound, or a voice note. */
const audio = defineContent({
  sending: SENDING,
  body: {
    required: {},
    optional: {
      mimeType,
      seconds,
      isPtt: field<boolean>(
        ApiPropertyOptional({ type: Boolean, description: 'Whether it is a voice note.', example: true }),
        IsOptional(),
        IsBoolean(),
      ),
      transcript: field<string>(
        ApiPropertyOptional({
          type: String,
          description: 'The spoken text, where speech to text is configured.',
          example: 'Call me back',
        }),
        IsOptional(),
        IsString(),
      ),
    },
  },
});

/** A file of any media type. */
const document = defineContent({
  sending: SENDING,
  body: {
    required: {},
    optional: {
      filename: field<string>(
        ApiPropertyOptional({ type: String, description: 'File name.', example: 'offer.pdf' }),
        IsOptional(),
        IsString(),
      ),
      mimeType,
      pageCount: field<number>(
        ApiPropertyOptional({ type: Number, description: 'Number of pages.', example: 3 }),
        IsOptional(),
        IsNumber(),
      ),
      caption,
    },
  },
});

/** A sticker. */
const sticker = defineContent({
  sending: SENDING,
  body: {
    required: {},
    optional: {
      mimeType,
      isAnimated: field<boolean>(
        ApiPropertyOptional({ type: Boolean, description: 'Whether it moves.', example: false }),
        IsOptional(),
        IsBoolean(),
      ),
    },
  },
});

/** The kinds of content that have a file. */
export const media = { image, video, audio, document, sticker } satisfies Record<MediaKind, object>;
