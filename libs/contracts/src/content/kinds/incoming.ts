import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString } from 'class-validator';
import { field } from '../field.js';
import { defineContent } from '../kind.js';

/** Content that may be looked at once. `MessageBody` itself declares `inner`, which is one. */
export const viewOnce = defineContent({
  sending: null,
  body: { required: { inner: field<object>() }, optional: {} },
});

/** Why a message is told without its content, where that is not for want of a kind. */
export const UNSUPPORTED_REASONS = ['UNREADABLE', 'TOO_LARGE', 'WITHHELD'] as const;
/** One of `UNSUPPORTED_REASONS`. */
export type UnsupportedReason = (typeof UNSUPPORTED_REASONS)[number];

/** Content of a kind that nobody here reads, or that cannot be told. */
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
    optional: {
      reason: field<UnsupportedReason>(
        ApiPropertyOptional({
          description:
            'Why it is told without its content, where there is a kind for it. UNREADABLE: it could not be read or stored. TOO_LARGE: it is larger than an event may be. WITHHELD: the platform gives it to the phone alone, as it does with one-time codes and with what may be viewed once.',
          enum: UNSUPPORTED_REASONS,
          example: 'TOO_LARGE',
        }),
        IsOptional(),
        IsIn(UNSUPPORTED_REASONS),
      ),
    },
  },
});
