import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  ValidationPipe,
} from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { log } from '@svc/service';
import type { ValidationError } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from './refusal.js';

/** Body of every answer that is not a success. */
export class ErrorBody {
  @ApiProperty({ description: 'What went wrong, for programs.', example: 'VALIDATION_FAILED' })
  code: string;

  @ApiProperty({ description: 'What went wrong, for people.', example: 'phone must be 7 to 15 digits' })
  message: string;

  @ApiProperty({
    description: 'Names this request; also in the header x-request-id.',
    example: '0198c2a4-7c1e-7b52-9f0e-3a5d1c2b4e6f',
  })
  requestId: string;

  @ApiProperty({ description: 'More about it.', example: { fields: { phone: ['must be 7 to 15 digits'] } } })
  meta: Record<string, unknown>;
}

const CODES: Record<number, string> = {
  400: 'VALIDATION_FAILED',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
};

/** This filter answers every error with the error body. */
@Catch()
export class RefusalFilter implements ExceptionFilter {
  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const requestId = http.getRequest<FastifyRequest>().id;
    const { status, code, message, meta = {} } = toRefusal(thrown);
    if (status >= 500) log().error({ requestId, err: thrown }, 'a control request failed');
    void http
      .getResponse<FastifyReply>()
      .status(status)
      .header('content-type', 'application/json; charset=utf-8')
      .send({ code, message, requestId, meta });
  }
}

function toRefusal(thrown: unknown): Pick<Refusal, 'status' | 'code' | 'message' | 'meta'> {
  if (thrown instanceof Refusal) return thrown;
  const thrownStatus =
    thrown instanceof HttpException ? thrown.getStatus() : (thrown as { statusCode?: unknown })?.statusCode;
  const status =
    typeof thrownStatus === 'number' && thrownStatus >= 400 && thrownStatus < 500 ? thrownStatus : 500;
  if (status === 500) return new Refusal(500, 'INTERNAL', 'something unexpected happened; see the log');
  return new Refusal(status, CODES[status] ?? 'VALIDATION_FAILED', (thrown as Error).message);
}

/** Refuses wrong and unknown fields, naming each of them. */
export const validation = (): ValidationPipe =>
  new ValidationPipe({
    transform: true,
    whitelist: true,
    forbidNonWhitelisted: true,
    exceptionFactory: (errors) => {
      const fields = Object.fromEntries(errors.flatMap((error) => fieldProblems(error)));
      return new Refusal(400, 'VALIDATION_FAILED', Object.values(fields).flat().join('; '), { fields });
    },
  });

/** Lists each wrong field by its path, with what is wrong. */
export function fieldProblems(error: ValidationError, parent = ''): [string, string[]][] {
  const path = `${parent}${error.property}`;
  const own: [string, string[]][] = error.constraints ? [[path, Object.values(error.constraints)]] : [];
  return [...own, ...(error.children ?? []).flatMap((child) => fieldProblems(child, `${path}.`))];
}
