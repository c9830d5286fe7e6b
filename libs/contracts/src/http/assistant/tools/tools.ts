import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsArray, IsBoolean, IsInt, IsObject, IsString, Length, Max, Min } from 'class-validator';
import { HEADERS_SCHEMA, IsHeaders } from '../../headers.js';
import { MayBeAbsent } from '../../may-be-absent.js';

/** Names of tools, as models call them. */
export const TOOL_NAME = /^[a-z][a-z0-9_]{0,47}$/;
/** Names by which models call tools: those of a tenant, and `server__tool` for those of an MCP server. */
export const CALLED_TOOL_NAME = /^[a-z][A-Za-z0-9_-]{0,63}$/;
/** Most tools of a tenant. */
export const TOOLS_MAX = 32;
const TIMEOUT_MS = 5_000;

/** Fields of a tool that are shown as they were given. */
class ToolFields {
  @ApiProperty({
    description: 'What the tool does and when to call it: the model decides by it.',
    example: 'Looks up an order by its number, and says where it is.',
    minLength: 1,
    maxLength: 1_000,
  })
  @IsString()
  @Length(1, 1_000)
  description: string;

  @ApiProperty({
    description: 'Where calls are posted: https, a public host, no user info.',
    example: 'https://shop.example.com/tools/look-up-order',
    minLength: 1,
    maxLength: 2_048,
  })
  @IsString()
  @Length(1, 2_048)
  url: string;

  @ApiPropertyOptional({
    description:
      'JSON Schema of the arguments: an object with `properties`, 8,000 characters and five levels at most, without `pattern`, references and combinations. What the model calls with is checked against it before anything is called. Left out: there are no arguments.',
    type: 'object',
    additionalProperties: true,
    example: {
      type: 'object',
      properties: { number: { type: 'string', description: 'Number of the order.', maxLength: 20 } },
      required: ['number'],
    },
  })
  @MayBeAbsent()
  @IsObject()
  parameters: Record<string, unknown> = { type: 'object', properties: {} };

  @ApiPropertyOptional({
    description:
      'Whether it changes nothing. Only such a tool is called where answers are not sent by themselves: in the modes shadow and draft. Left out: false.',
    example: true,
  })
  @MayBeAbsent()
  @IsBoolean()
  readOnly: boolean = false;

  @ApiPropertyOptional({
    description:
      'Whether a person of yours approves each call before it is made: GET /v1/tool-calls lists those that wait. Not together with `readOnly`. Left out: false.',
    example: false,
  })
  @MayBeAbsent()
  @IsBoolean()
  needsApproval: boolean = false;

  @ApiPropertyOptional({
    description: 'Milliseconds that a call may take. Left out: 5000.',
    type: 'integer',
    minimum: 500,
    maximum: 15_000,
    example: TIMEOUT_MS,
  })
  @MayBeAbsent()
  @IsInt()
  @Min(500)
  @Max(15_000)
  timeoutMs: number = TIMEOUT_MS;
}

/** Body of `PUT /v1/assistant/tools/:name`. */
export class PutToolBody extends ToolFields {
  @ApiPropertyOptional({
    description:
      'Custom headers of each call, as a token of yours; 4096 characters at most in all, stored encrypted and never shown. Left out: those that are stored stay, unless `url` is another one: then they are given again, or {}.',
    ...HEADERS_SCHEMA,
  })
  @MayBeAbsent()
  @IsHeaders()
  headers?: Record<string, string>;
}

/** A tool; values of its headers are never shown. */
export class ToolView extends ToolFields {
  @ApiProperty({ description: 'Name of the tool.', example: 'look_up_order' })
  @IsString()
  name: string;

  @ApiProperty({ description: 'Names of its headers.', type: [String], example: ['authorization'] })
  @IsArray()
  @IsString({ each: true })
  headerNames: string[];

  @ApiProperty({
    description: 'How often it was changed: what a page shows that somebody else changes meanwhile.',
    type: 'integer',
    example: 1,
    minimum: 1,
  })
  @IsInt()
  @Min(1)
  revision: number;
}

/** Answer of `GET /v1/assistant/tools`. */
export class Tools {
  @ApiProperty({ description: 'The tools, by name.', type: [ToolView] })
  items: ToolView[];
}
