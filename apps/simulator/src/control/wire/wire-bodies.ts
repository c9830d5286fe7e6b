import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsInt, IsObject, Max, Min } from 'class-validator';
import { MayBeAbsent } from '../../http/may-be-absent.js';
import { RUBBISH_KINDS, type RubbishKind } from '../../wire/client-connection.js';

export class Rubbish {
  @ApiProperty({
    description: 'undecryptable: a frame under no key. undecodable: decrypted well, it is no stanza.',
    enum: RUBBISH_KINDS,
    example: 'undecryptable',
  })
  @IsIn(RUBBISH_KINDS)
  kind: RubbishKind;
}

export class RawStanza {
  @ApiProperty({
    description: 'Tag, attributes (all texts) and content: text, {base64}, or a list of stanzas.',
    example: { tag: 'ib', attrs: {}, content: [{ tag: 'downgrade_webclient' }] },
    type: Object,
  })
  @IsObject()
  stanza: Record<string, unknown>;

  @ApiPropertyOptional({
    description:
      'Keeps a notification or a message that has an id until it is acknowledged: it comes again at each login.',
    example: true,
    default: false,
  })
  @MayBeAbsent()
  @IsBoolean()
  keep?: boolean;
}

export class FrameCount {
  @ApiProperty({ description: 'How many devices it was put on the wire for.', example: 1 })
  sent: number;
}

export class KeepPreKeys {
  @ApiProperty({
    description: 'How many one-time keys of each device are left; below 5 it is told to upload more.',
    example: 2,
  })
  @IsInt()
  @Min(0)
  @Max(10_000)
  left: number;
}

export class PreKeysLeft {
  @ApiProperty({ description: 'How many one-time keys each device has left.', example: [2], type: [Number] })
  left: number[];
}
