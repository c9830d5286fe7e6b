import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsNotEmpty, IsOptional, IsString, MaxLength } from 'class-validator';
import { field } from '../parts/field.js';
import { defineContent } from '../parts/kind.js';

/** Longest text of a message, in characters. */
export const MOST_TEXT = 65_536;

/** The text, or what it says after an edit. */
export const TEXT = field<string>(IsString(), IsNotEmpty());

/** Words. */
export const text = defineContent({
  sending: {
    request: {
      text: field<string>(
        ApiPropertyOptional({
          type: String,
          description: 'Text to send, up to 65,536 characters.',
          example: 'Your order is ready.',
          minLength: 1,
          maxLength: MOST_TEXT,
        }),
        IsOptional(),
        IsString(),
        IsNotEmpty(),
        MaxLength(MOST_TEXT),
      ),
    },
    wire: { text: TEXT },
    canReply: true,
    canMention: true,
    hasFile: false,
    relation: null,
  },
  body: {
    required: {
      text: field<string>(
        ApiPropertyOptional({ type: String, description: 'The text.', example: 'Is my order ready?' }),
        IsOptional(),
        IsString(),
      ),
    },
    optional: {},
  },
});
