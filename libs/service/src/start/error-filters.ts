import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  type RpcExceptionFilter,
} from '@nestjs/common';
import { AppError, ERROR_CATALOGUE, type ErrorCode, invalidField } from '@svc/contracts';
import { isDatabaseAway } from '@svc/database';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Observable, throwError } from 'rxjs';
import { log } from '../logging/logger.js';

const BY_STATUS: Partial<Record<number, ErrorCode>> = {
  400: 'VALIDATION_FAILED',
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  503: 'UPSTREAM_UNAVAILABLE',
};

/**
 * Turns whatever was thrown into an error of the catalogue. Errors of the framework below (404, malformed JSON, a body that is
 * too large) keep their meaning, a database that is away is worth another try; the words of anything unknown stay inside.
 */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const code = isDatabaseAway(error) ? 'UPSTREAM_UNAVAILABLE' : codeOf(statusOf(error));
  const { summary } = ERROR_CATALOGUE[code];
  if (code !== 'VALIDATION_FAILED') return new AppError(code, summary, {}, { cause: error });
  // The framework says what is wrong, and not where: with the request as a whole.
  return invalidField('request', (error instanceof Error && error.message) || summary, error);
}

function statusOf(error: unknown): unknown {
  if (error instanceof HttpException) return error.getStatus();
  return (error as { statusCode?: unknown } | null)?.statusCode;
}

function codeOf(status: unknown): ErrorCode {
  if (typeof status !== 'number') return 'INTERNAL';
  return BY_STATUS[status] ?? (status < 500 ? 'VALIDATION_FAILED' : 'INTERNAL');
}

/** Sends the HTTP answer of an error: status, headers and the error body of the specification. No cache may keep it. */
export function sendError(reply: FastifyReply, requestId: string, thrown: unknown): void {
  const error = toAppError(thrown);
  logFailure(error, 'request', { requestId });
  const retryAfter = error.meta['retryAfterSeconds'] ?? (error.status >= 503 ? 1 : undefined);
  if (retryAfter !== undefined) void reply.header('retry-after', String(retryAfter));
  if (error.status === 401) void reply.header('www-authenticate', 'Bearer');
  const { retryAfterSeconds: _, ...meta } = error.meta;
  void reply
    .status(error.status)
    .header('content-type', 'application/json; charset=utf-8')
    // Nest has set the headers that a route declares for its success before the handler runs.
    .header('cache-control', 'no-store')
    .send({ code: error.code, message: error.message, requestId, meta });
}

/** Translates what a controller throws into the HTTP error body. */
@Catch()
export class HttpErrorFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    sendError(http.getResponse<FastifyReply>(), http.getRequest<FastifyRequest>().id, error);
  }
}

/** Translates what a message handler throws into the body that `AppError.fromBody` reads on the other side. */
@Catch()
export class RpcErrorFilter implements RpcExceptionFilter {
  catch(thrown: unknown): Observable<never> {
    const error = messageError(thrown);
    return throwError(() => error.toBody());
  }
}

/** Turns what a message handler has thrown into an error of the catalogue. The other side logs a refusal; what is our fault is logged here. */
export function messageError(thrown: unknown): AppError {
  const error = toAppError(thrown);
  if (error.status >= 500) logFailure(error, 'message handler');
  return error;
}

/** Logs a failure of ours with its cause, and a refusal by its code alone: its words may hold what a tenant sent. */
function logFailure(error: AppError, what: string, fields: object = {}): void {
  const level = ERROR_CATALOGUE[error.code].log;
  if (error.status < 500) log()[level]({ ...fields, code: error.code }, `${what} refused`);
  else log()[level]({ ...fields, code: error.code, err: error.cause ?? error }, `${what} failed`);
}
