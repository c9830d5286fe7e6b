import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsIn, ValidateNested } from 'class-validator';
import { MayBeAbsent } from '../../http/may-be-absent.js';
import type { Kind } from '../../kinds/parts/kind.js';
import { ContentBody, KINDS } from '../../kinds/kinds.js';
import { FileBody, FileView } from './file-bodies.js';

/** Content that a contact writes. */
export class WrittenContentBody extends ContentBody {
  @ApiProperty({ description: 'Kind of content.', enum: KINDS, example: 'image' })
  @IsIn(KINDS)
  type: Kind;

  @ApiPropertyOptional({
    description: 'The file of an image, video, audio, document or sticker.',
    type: FileBody,
  })
  @MayBeAbsent()
  @ValidateNested()
  @Type(() => FileBody)
  media?: FileBody;
}

/** Content that a contact received. */
export class ReceivedContentView extends ContentBody {
  @ApiProperty({
    description: 'Kind of content.',
    enum: [...KINDS, 'unsupported'],
    example: 'image',
  })
  type: Kind | 'unsupported';

  @ApiPropertyOptional({
    description: "The platform's name of unsupported content.",
    example: 'groupInviteMessage',
  })
  original?: string;

  @ApiPropertyOptional({
    description: 'The file, decrypted and checked; its bytes at /contacts/{phone}/messages/{id}/media.',
    type: FileView,
  })
  media?: FileView;
}
