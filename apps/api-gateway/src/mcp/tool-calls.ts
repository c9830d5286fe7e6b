import type { CallToolResult } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { AppError, ERROR_CATALOGUE, type ErrorCode } from '@svc/contracts';
import { log, toAppError } from '@svc/service';
import type { FastifyInstance, FastifyRequest, LightMyRequestResponse } from 'fastify';
import { requestOf, type RouteRequest } from './tool-arguments.js';
import type { ToolRoute } from './tool-routes.js';

type Json = Record<string, unknown>;

/**
 * This class calls tools: each call is a request to a route of this gateway, with the key of the caller, that goes through everything a request
 * from outside goes through. So there is nothing that a tool may and the route may not.
 */
@Injectable()
export class ToolCalls {
  constructor(private readonly host: HttpAdapterHost) {}

  /** Calls a tool for whoever has made the outer request. What goes wrong is a result, too: the model is to read it. */
  async call(outer: FastifyRequest, route: ToolRoute, given: Json): Promise<CallToolResult> {
    try {
      return resultOf(await this.ask(outer, requestOf(route, given)));
    } catch (error) {
      const { code, message, meta, status } = toAppError(error);
      if (status >= 500) log().warn({ requestId: outer.id, code, err: error }, 'a tool is not called');
      return refusal({ code, message, requestId: outer.id, meta });
    }
  }

  private async ask(
    { ip, id, headers }: FastifyRequest,
    request: RouteRequest,
  ): Promise<LightMyRequestResponse> {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    const { authorization = '' } = headers;
    const own = { authorization, 'content-type': 'application/json', 'x-request-id': id };
    try {
      return await fastify.inject({ ...request, headers: own, remoteAddress: ip });
    } catch (cause) {
      // It stops, and takes no request any more.
      throw new AppError('UPSTREAM_UNAVAILABLE', undefined, {}, { cause });
    }
  }
}

function resultOf(answer: LightMyRequestResponse): CallToolResult {
  const body = answer.json<Json>();
  if (answer.statusCode < 400) return result(body);
  const wait = answer.headers['retry-after'];
  return refusal(wait === undefined ? body : { ...body, retryAfterSeconds: Number(wait) });
}

/** Shows an error of the API with what to do about it. */
function refusal(error: Json): CallToolResult {
  return {
    ...result({ ...error, remedy: ERROR_CATALOGUE[error['code'] as ErrorCode].remedy }),
    isError: true,
  };
}

/** Makes a result of data: for programs as it is, and for models as text. */
function result(structuredContent: Json): CallToolResult {
  return { structuredContent, content: [{ type: 'text', text: JSON.stringify(structuredContent) }] };
}
