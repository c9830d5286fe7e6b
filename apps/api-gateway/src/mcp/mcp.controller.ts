import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { type GuardedRequest, NeedsScope } from '../auth/authorization.js';
import { ApiErrors } from '../openapi/answers.js';
import { McpAnswer, McpMessage } from './mcp-bodies.js';
import { McpService } from './mcp.service.js';
import { sendWebResponse } from './web-request.js';

/** `POST /v1/mcp` */
@ApiTags('mcp')
@Controller('v1/mcp')
export class McpController {
  constructor(private readonly mcp: McpService) {}

  @Post()
  @HttpCode(200)
  @NeedsScope('any')
  @ApiOperation({
    operationId: 'callMcp',
    summary: 'Answer a message of an MCP client',
    description:
      'The Model Context Protocol over streamable HTTP, for agents: one message a request, one answer in JSON, and nothing is kept between two. `tools/list` shows the tools that the key has the scopes for. A call of a tool is a request to a route of this API, with its rules, limits and errors. The texts of contacts come back as data.',
  })
  @ApiOkResponse({ type: McpAnswer, description: 'The answer to a request.' })
  @ApiErrors('VALIDATION_FAILED')
  async message(
    @Req() request: GuardedRequest,
    @Body() message: McpMessage,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await sendWebResponse(reply, await this.mcp.answer(request, message));
  }
}
