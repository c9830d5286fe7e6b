import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsNotEmpty, IsOptional, IsString, MaxLength, ValidateNested } from 'class-validator';
import { field } from '../parts/field.js';
import { defineContent } from '../parts/kind.js';
import { MessageRef, TARGET } from '../parts/target.js';
import { MOST_TEXT, TEXT } from './text.js';

/** Changes the words of an own text. */
export class EditRequest extends MessageRef {
  @ApiProperty({
    description: 'What it says from now on, up to 65,536 characters.',
    example: 'Your order is ready, and gift-wrapped.',
    minLength: 1,
    maxLength: MOST_TEXT,
  })
  @IsString()
  @IsNotEmpty()
  @MaxLength(MOST_TEXT)
  text: string;
}

/** New words for an own text. */
export const edit = defineContent({
  sending: {
    request: {
      edit: field<EditRequest>(
        ApiPropertyOptional({
          description:
            'New words for an own text; phones take them for some fifteen minutes after it was sent.',
          type: EditRequest,
        }),
        IsOptional(),
        ValidateNested(),
        Type(() => EditRequest),
      ),
    },
    wire: { text: TEXT, target: TARGET },
    canReply: false,
    canMention: true,
    hasFile: false,
    relation: 'EDIT',
  },
  body: null,
});
