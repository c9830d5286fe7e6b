import { ApiProperty } from '@nestjs/swagger';
import { ERROR_CATALOGUE, type ErrorCode } from '../errors.js';

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

  @ApiProperty({ description: 'The value of the x-request-id header.', format: 'uuid' })
  requestId: string;

  @ApiProperty({
    description: 'Extra data, e.g. the fields that are wrong, or the limit that is used up.',
    type: 'object',
    additionalProperties: true,
    example: { fields: [{ field: 'to', rule: 'to is not a phone number' }] },
  })
  meta: Record<string, unknown>;
}
