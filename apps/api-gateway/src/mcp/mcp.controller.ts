import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiBadRequestResponse,
  ApiExtraModels,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import { HttpErrorBody } from '@svc/contracts';
import type { FastifyReply } from 'fastify';
import { type GuardedRequest, NeedsScope } from '../auth/authorization.js';
import { ApiErrors, ERROR_CODES } from '../openapi/answers.js';
import { errorExamples } from '../openapi/examples.js';
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
  @ApiExtraModels(McpAnswer, HttpErrorBody)
  @ApiOkResponse({ type: McpAnswer, description: 'The answer to a request.' })
  @ApiAcceptedResponse({ description: 'A notification was heard; it has no answer.' })
  @ApiBadRequestResponse({
    description: 'The body is no message, or one of a revision that is not spoken here.',
    content: {
      'application/json': {
        schema: { oneOf: [{ $ref: getSchemaPath(HttpErrorBody) }, { $ref: getSchemaPath(McpAnswer) }] },
        examples: errorExamples(['VALIDATION_FAILED']) as never,
      },
    },
    ...{ [ERROR_CODES]: ['VALIDATION_FAILED'] },
  })
  @ApiNotFoundResponse({ type: McpAnswer, description: 'Revision 2026-07-28: there is no such method.' })
  @ApiErrors('VALIDATION_FAILED')
  async message(
    @Req() request: GuardedRequest,
    @Body() message: McpMessage,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await sendWebResponse(reply, await this.mcp.answer(request, message));
  }
}
