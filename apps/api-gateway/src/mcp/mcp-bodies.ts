import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsObject, IsOptional, IsString, Length, ValidateBy } from 'class-validator';

const LONGEST_ID = 128;

/** Example of a call of a tool. */
const CALL = { name: 'list_sessions', arguments: { limit: 10 } };

function IsMessageId(): PropertyDecorator {
  return ValidateBy({
    name: 'isMessageId',
    validator: {
      validate: (value: unknown) =>
        Number.isSafeInteger(value) ||
        (typeof value === 'string' && value.length > 0 && value.length <= LONGEST_ID),
      defaultMessage: () => `id must be a whole number or a string of 1 to ${LONGEST_ID} characters`,
    },
  });
}

/** Body of `POST /v1/mcp`: one message of an MCP client, a request or a notification. */
export class McpMessage {
  @ApiProperty({ description: 'Version of JSON-RPC.', enum: ['2.0'], example: '2.0' })
  @IsIn(['2.0'])
  jsonrpc: '2.0';

  @ApiPropertyOptional({
    description: 'Names a request; the answer has the same. A notification has none.',
    oneOf: [
      { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
      { type: 'string', minLength: 1, maxLength: LONGEST_ID },
    ],
    example: 1,
  })
  @IsOptional()
  @IsMessageId()
  id?: string | number;

  @ApiProperty({
    description: 'Method of the protocol.',
    example: 'tools/call',
    minLength: 1,
    maxLength: 100,
  })
  @IsString()
  @Length(1, 100)
  method: string;

  @ApiPropertyOptional({
    description: 'What the method takes: of `tools/call` the name of a tool and its arguments.',
    type: 'object',
    additionalProperties: true,
    example: CALL,
  })
  @IsOptional()
  @IsObject()
  params?: Record<string, unknown>;
}

/** Error of a message itself; an error of a tool is its result. */
export class McpFailure {
  @ApiProperty({ description: 'Code of JSON-RPC.', type: 'integer', example: -32601 })
  code: number;

  @ApiProperty({ description: 'What is wrong.', example: 'Method not found' })
  message: string;

  @ApiPropertyOptional({ description: 'More about it.', type: 'object', additionalProperties: true })
  data?: Record<string, unknown>;
}

/** Answer to a request of an MCP client: it has a result or an error. */
export class McpAnswer {
  @ApiProperty({ description: 'Version of JSON-RPC.', enum: ['2.0'], example: '2.0' })
  jsonrpc: '2.0';

  @ApiProperty({
    description: 'That of the request.',
    oneOf: [{ type: 'integer' }, { type: 'string' }, { type: 'null' as 'string' }],
    example: 1,
  })
  id: string | number | null;

  @ApiPropertyOptional({
    description:
      'Of `tools/call`: `structuredContent` is what the route of the tool answers, `content` the same as text. With `isError` it is an error of the API, and its `remedy`.',
    type: 'object',
    additionalProperties: true,
    example: {
      structuredContent: { items: [], nextCursor: null },
      content: [{ type: 'text', text: '{"items":[],"nextCursor":null}' }],
    },
  })
  result?: Record<string, unknown>;

  @ApiPropertyOptional({ description: 'What is wrong with the message.', type: McpFailure })
  error?: McpFailure;
}
