import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import { field } from '../parts/field.js';
import { defineContent } from '../parts/kind.js';

/** Content that may be looked at only once. `MessageBody` itself declares `inner`, which is one. */
export const viewOnce = defineContent({
  sending: null,
  body: { required: { inner: field<object>() }, optional: {} },
});

/** Content of a kind that the gateway does not read. */
export const unsupported = defineContent({
  sending: null,
  body: {
    required: {
      original: field<string>(
        ApiPropertyOptional({
          type: String,
          description: "The platform's name of the content.",
          example: 'groupInviteMessage',
        }),
        IsOptional(),
        IsString(),
      ),
    },
    optional: {},
  },
});
