import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsDefined, IsNumber, IsOptional, IsString, Length, ValidateNested } from 'class-validator';
import { field } from '../parts/field.js';
import { defineContent } from '../parts/kind.js';

/** A contact card. */
export class ContactContent {
  @ApiProperty({ description: 'Name on the card.', example: 'Ada Lovelace', minLength: 1, maxLength: 255 })
  @IsString()
  @Length(1, 255)
  displayName: string;

  @ApiProperty({
    description: 'Phone number in any usual international notation.',
    example: '+49 151 12345678',
    minLength: 5,
    maxLength: 64,
  })
  @IsString()
  @Length(5, 64)
  phone: string;
}

/** Contact cards; one of them is sent, several may come. */
export const contact = defineContent({
  sending: {
    request: {
      contact: field<ContactContent>(
        ApiPropertyOptional({ description: 'A contact card: a message takes one.', type: ContactContent }),
        IsOptional(),
        ValidateNested(),
        Type(() => ContactContent),
      ),
    },
    wire: {
      contact: field<ContactContent>(
        IsDefined(),
        ValidateNested(),
        Type(() => ContactContent),
      ),
    },
    canReply: true,
    canMention: false,
    hasFile: false,
    relation: null,
  },
  body: {
    required: {},
    optional: {
      displayName: field<string>(
        ApiPropertyOptional({ type: String, description: 'Name on the first card.', example: 'Ada' }),
        IsOptional(),
        IsString(),
      ),
      count: field<number>(
        ApiPropertyOptional({
          type: Number,
          description: 'Number of cards; `message.received` has each of them in `contacts`.',
          example: 1,
        }),
        IsOptional(),
        IsNumber(),
      ),
    },
  },
});
