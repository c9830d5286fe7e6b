import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsInt,
  IsISO8601,
  IsObject,
  IsOptional,
  IsString,
  Length,
  Matches,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { HEADERS_SCHEMA, IsHeaders } from '../../headers.js';
import { MayBeAbsent } from '../../may-be-absent.js';

/** Names of MCP servers. They have no `_`: the first `__` of a name by which a model calls ends that of the server. */
export const TOOL_SERVER_NAME = /^[a-z][a-z0-9-]{0,23}$/;
/** Most MCP servers of a tenant. */
export const TOOL_SERVERS_MAX = 10;
/** Most tools of one server that models may call. */
export const ALLOWED_TOOLS_MAX = 32;
/** Most characters of a name by which a model calls a tool. */
const CALLED_MAX = 64;
/** Names that a server may give a tool which models call. */
const SERVER_TOOL_NAME = /^[A-Za-z0-9_-]{1,61}$/;
const TIMEOUT_MS = 5_000;

/** Returns the name by which a model calls a tool of an MCP server; undefined: it gets too long, or has other signs than a model may name. */
export function calledToolOf(server: string, tool: string): string | undefined {
  const name = `${server}__${tool}`;
  return SERVER_TOOL_NAME.test(tool) && name.length <= CALLED_MAX ? name : undefined;
}

const TOOL_NAMES = {
  type: 'array' as const,
  items: { type: 'string' as const, pattern: SERVER_TOOL_NAME.source },
  example: ['find_order'],
  maxItems: ALLOWED_TOOLS_MAX,
  uniqueItems: true,
};
const IS_NAME = {
  each: true,
  message: 'each of $property must be the name of a tool: letters, digits, _ and -',
};

/** Fields of an MCP server that are shown as they were given. */
class ToolServerFields {
  @ApiProperty({
    description: 'Address of the server (streamable HTTP): https, a public host, no user info.',
    example: 'https://shop.example.com/mcp',
    minLength: 1,
    maxLength: 2_048,
  })
  @IsString()
  @Length(1, 2_048)
  url: string;

  @ApiProperty({
    description:
      'Tools of the server that your models may call, by the names that it gives them. No other one is called. Empty: none yet; the answer lists what there is to choose from.',
    ...TOOL_NAMES,
  })
  @IsArray()
  @ArrayMaxSize(ALLOWED_TOOLS_MAX)
  @ArrayUnique()
  @Matches(SERVER_TOOL_NAME, IS_NAME)
  allow: string[];

  @ApiPropertyOptional({
    description:
      'Those of `allow` that change nothing, as you say: what the server says of it is not believed. Only such a tool is called in the modes shadow and draft. Left out: none.',
    ...TOOL_NAMES,
  })
  @MayBeAbsent()
  @IsArray()
  @ArrayMaxSize(ALLOWED_TOOLS_MAX)
  @ArrayUnique()
  @Matches(SERVER_TOOL_NAME, IS_NAME)
  readOnly: string[] = [];

  @ApiPropertyOptional({
    description: 'Milliseconds that reading the list may take, or a call. Left out: 5000.',
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

/** Body of `PUT /v1/assistant/tool-servers/:name`. */
export class PutToolServerBody extends ToolServerFields {
  @ApiPropertyOptional({
    description:
      'Custom headers of each request, as a token of yours; 4096 characters at most in all, stored encrypted and never shown. Left out: those that are stored stay, unless `url` is another one: then they are given again, or {}.',
    ...HEADERS_SCHEMA,
  })
  @MayBeAbsent()
  @IsHeaders()
  headers?: Record<string, string>;
}

/** An MCP server; values of its headers are never shown. */
export class ToolServerView extends ToolServerFields {
  @ApiProperty({ description: 'Name of the server.', example: 'shop' })
  @IsString()
  name: string;

  @ApiProperty({ description: 'Names of its headers.', type: [String], example: ['authorization'] })
  @IsArray()
  @IsString({ each: true })
  headerNames: string[];

  @ApiProperty({
    description: 'How often it was set or read: what a page shows that somebody else changes meanwhile.',
    type: 'integer',
    example: 1,
    minimum: 1,
  })
  @IsInt()
  @Min(1)
  revision: number;

  @ApiProperty({
    description: 'When the list of its tools was read: models get it as it was then.',
    format: 'date-time',
    example: '2026-11-28T09:30:00.000Z',
  })
  @IsISO8601()
  readAt: string;
}

/** A tool as its server offered it when the list was read. */
export class OfferedTool {
  @ApiProperty({ description: 'Name that the server gives it.', example: 'find_order' })
  @IsString()
  name: string;

  @ApiProperty({
    description:
      'What the server says of it, its first 1,000 characters. It is a text of that server: a model that may call the tool reads it.',
    example: 'Finds an order by its number.',
  })
  @IsString()
  description: string;

  @ApiProperty({ description: 'Whether models may call it.', example: true })
  @IsBoolean()
  usable: boolean;

  @ApiProperty({
    description: 'Name by which settings name it in `tools`, and by which models call it; null: not usable.',
    type: String,
    nullable: true,
    example: 'shop__find_order',
  })
  @IsOptional()
  @IsString()
  tool: string | null;

  @ApiProperty({
    description: 'Why it is not usable; null: it is.',
    type: String,
    nullable: true,
    example: null,
  })
  @IsOptional()
  @IsString()
  problem: string | null;

  @ApiProperty({
    description: 'JSON Schema of its arguments, as models get it; null: not usable.',
    type: 'object',
    additionalProperties: true,
    nullable: true,
    example: { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] },
  })
  @IsOptional()
  @IsObject()
  parameters: Record<string, unknown> | null;
}

/** An MCP server with what it offers. */
export class ToolServer extends ToolServerView {
  @ApiProperty({
    description: 'What it offered when the list was read: those of `allow` first, 100 at most.',
    type: [OfferedTool],
  })
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => OfferedTool)
  tools: OfferedTool[];
}

/** Answer of `GET /v1/assistant/tool-servers`. */
export class ToolServers {
  @ApiProperty({ description: 'The servers, by name.', type: [ToolServerView] })
  items: ToolServerView[];
}
