import { ApiProperty } from '@nestjs/swagger';
import { ERROR_CATALOGUE, type ErrorCode } from '../errors/errors.js';

/** The body of every HTTP error (specification, "Error body"). */
export class HttpErrorBody {
  @ApiProperty({
    description: 'Error code; compare by this.',
    enum: Object.keys(ERROR_CATALOGUE),
    example: 'VALIDATION_FAILED',
  })
  code: ErrorCode;

  @ApiProperty({ description: 'What is wrong, for a person.', example: 'to is not a phone number' })
  message: string;

  @ApiProperty({
    description: 'The value of the x-request-id header.',
    maxLength: 128,
    example: '0198c0de-0000-7000-8000-0000000000e1',
  })
  requestId: string;

  @ApiProperty({
    description: 'Extra data, e.g. the fields that are wrong, or the limit that is used up.',
    type: 'object',
    additionalProperties: true,
    example: { fields: [{ field: 'to', rule: 'to is not a phone number' }] },
  })
  meta: Record<string, unknown>;
}
