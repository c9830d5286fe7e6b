import { ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsOptional, ValidateNested } from 'class-validator';
import { field } from '../parts/field.js';
import { defineContent } from '../parts/kind.js';
import { MessageRef, TARGET } from '../parts/target.js';

/** Deletes an own message for everybody. */
export class DeleteRequest extends MessageRef {}

/** The deletion of an own message for everybody. */
export const deletion = defineContent({
  sending: {
    request: {
      delete: field<DeleteRequest>(
        ApiPropertyOptional({
          description:
            'Deletes an own message for everybody; phones do so for some two days after it was sent.',
          type: DeleteRequest,
        }),
        IsOptional(),
        ValidateNested(),
        Type(() => DeleteRequest),
      ),
    },
    wire: { target: TARGET },
    canReply: false,
    canMention: false,
    hasFile: false,
    relation: 'DELETE',
  },
  body: null,
});
