import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsBase64, IsIn, ValidateNested } from 'class-validator';
import { MayBeAbsent } from '../../http/may-be-absent.js';
import { IsPhone } from '../../http/phone.js';

/** A person's two addresses, by either of which a seal may name them. */
export const SEAL_NAMES = ['lid', 'pn'] as const;
export type SealName = (typeof SEAL_NAMES)[number];

/** Way in which words are sealed by the secret of the message that they are about. */
export class SealedBody {
  @ApiPropertyOptional({
    description: 'Address by which the seal names who wrote the message it is about.',
    enum: SEAL_NAMES,
    example: 'pn',
    default: 'lid',
  })
  @MayBeAbsent()
  @IsIn(SEAL_NAMES)
  author?: SealName;

  @ApiPropertyOptional({
    description: 'Address by which the seal names who writes this one.',
    enum: SEAL_NAMES,
    example: 'pn',
    default: 'lid',
  })
  @MayBeAbsent()
  @IsIn(SEAL_NAMES)
  by?: SealName;

  @ApiPropertyOptional({
    description:
      'Secret in place of that of the message, in base64: a wrong one, or that of a message that is still to come.',
    example: 'AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=',
  })
  @MayBeAbsent()
  @IsBase64()
  secret?: string;

  @ApiPropertyOptional({
    description: 'Phone of who writes the message that is still to come; without it, the same person.',
    example: '4915550001000',
  })
  @MayBeAbsent()
  @IsPhone()
  writer?: string;
}

/** Field of a kind that may be sealed. */
export const Sealed = (): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      description: 'How it is sealed by the secret of the message it is about; an edit without it is not.',
      example: { author: 'lid', by: 'pn' },
      type: SealedBody,
    }),
    MayBeAbsent(),
    ValidateNested(),
    Type(() => SealedBody),
  );
