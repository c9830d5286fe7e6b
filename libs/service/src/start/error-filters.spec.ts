import {
  BadRequestException,
  NotFoundException,
  PayloadTooLargeException,
  ServiceUnavailableException,
} from '@nestjs/common';
import { describe, expect, test } from '@jest/globals';
import { AppError } from '@svc/contracts';
import { fastify, type FastifyInstance } from 'fastify';
import { firstValueFrom } from 'rxjs';
import { RpcErrorFilter, sendError, toAppError } from './error-filters.js';
import { setUpLogger } from '../logging/logger.js';

/** Makes a real HTTP server whose one route throws. */
function throwing(error: unknown): FastifyInstance {
  const server = fastify({ genReqId: () => 'request-1' });
  server.get('/', (request, reply) => {
    sendError(reply, request.id, error);
    return reply;
  });
  return server;
}

const answerTo = (error: unknown) => throwing(error).inject({ url: '/' });

describe('the HTTP answer of an error', () => {
  test('has status, request id and the four fields of the error body', async () => {
    const answer = await answerTo(new AppError('SESSION_NOT_FOUND', 'There is none.', { sessionId: 's' }));
    expect(answer.statusCode).toBe(404);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.json()).toEqual({
      code: 'SESSION_NOT_FOUND',
      message: 'There is none.',
      requestId: 'request-1',
      meta: { sessionId: 's' },
    });
  });

  test('tells of a limit when to come back: in the header, to the second', async () => {
    const meta = { layer: 'plan', limit: 1_000, used: 1_000, retryAfterSeconds: 4_711 };
    const answer = await answerTo(new AppError('RATE_LIMITED', undefined, meta));
    expect(answer.statusCode).toBe(429);
    expect(answer.headers['retry-after']).toBe('4711');
    expect(answer.json().meta).toEqual({ layer: 'plan', limit: 1_000, used: 1_000 });
  });

  test.each(['UPSTREAM_UNAVAILABLE', 'UPSTREAM_TIMEOUT'] as const)(
    'of %s invites to try again',
    async (code) => {
      expect((await answerTo(new AppError(code))).headers['retry-after']).toBe('1');
    },
  );

  test.each(['VALIDATION_FAILED', 'FORBIDDEN', 'INTERNAL'] as const)('of %s does not', async (code) => {
    expect((await answerTo(new AppError(code))).headers).not.toHaveProperty('retry-after');
  });

  test.each(['NOT_FOUND', 'RATE_LIMITED', 'INTERNAL', 'UPSTREAM_UNAVAILABLE'] as const)(
    'of %s is kept by no cache',
    async (code) => {
      expect((await answerTo(new AppError(code))).headers['cache-control']).toBe('no-store');
    },
  );

  test('of a missing key names the scheme', async () => {
    expect((await answerTo(new AppError('UNAUTHENTICATED'))).headers['www-authenticate']).toBe('Bearer');
  });

  test.each([
    ['an error', new Error('SELECT canary FROM key')],
    ['text', 'canary'],
    ['nothing', undefined],
    ['an object', { detail: 'canary' }],
    ['an error with a cause', new AppError('INTERNAL', undefined, {}, { cause: new Error('canary') })],
  ])('of %s that nobody foresaw is 500 and keeps its words to itself', async (_, thrown) => {
    const answer = await answerTo(thrown);
    expect(answer.statusCode).toBe(500);
    expect(answer.body).not.toContain('canary');
    expect(answer.json()).toMatchObject({ code: 'INTERNAL', meta: {} });
  });
});

describe('a database that is away', () => {
  const away = Object.assign(new Error('connect ECONNREFUSED canary:5432'), { code: 'ECONNREFUSED' });

  test('is 503 over HTTP, with an invitation to try again and none of its words', async () => {
    const answer = await answerTo(away);
    expect(answer.statusCode).toBe(503);
    expect(answer.headers['retry-after']).toBe('1');
    expect(answer.json()).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', meta: {} });
    expect(answer.body).not.toContain('canary');
  });

  test('is UPSTREAM_UNAVAILABLE to whoever asks by message, so that consumers wait for it', async () => {
    const body = await firstValueFrom(new RpcErrorFilter().catch(away)).catch((thrown: unknown) => thrown);
    expect(AppError.fromBody(body)).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', retryable: true });
    expect(JSON.stringify(body)).not.toContain('canary');
  });
});

describe('what is logged', () => {
  /** Collects the lines that are written while an answer is made. */
  async function linesOf(error: unknown): Promise<string[]> {
    const lines: string[] = [];
    const write = process.stdout.write.bind(process.stdout);
    process.stdout.write = (line: string | Uint8Array): boolean => lines.push(String(line)) > 0;
    try {
      setUpLogger('filters', 'info');
      await answerTo(error);
    } finally {
      process.stdout.write = write;
      setUpLogger('filters', 'silent');
    }
    return lines;
  }

  test('of a failure is its cause, once', async () => {
    const lines = await linesOf(new ServiceUnavailableException('NATS is not connected'));
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      {
        level: 40,
        requestId: 'request-1',
        code: 'UPSTREAM_UNAVAILABLE',
        err: { message: 'NATS is not connected' },
      },
    ]);
  });

  test('of a refusal is its code and nothing that the tenant sent', async () => {
    const lines = await linesOf(new BadRequestException('canary is no number'));
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 30, code: 'VALIDATION_FAILED' }]);
    expect(lines.join()).not.toContain('canary');
  });
});

describe('errors of the framework below', () => {
  test.each([
    ['a route that is none', new NotFoundException('Cannot GET /x'), 'NOT_FOUND', 'There is no such route.'],
    ['a body that is too large', new PayloadTooLargeException(), 'PAYLOAD_TOO_LARGE', undefined],
    ['a body that is no JSON', { statusCode: 400 }, 'VALIDATION_FAILED', undefined],
    ['a method that is not there', { statusCode: 405 }, 'METHOD_NOT_ALLOWED', undefined],
    ['a content type nobody reads', { statusCode: 415 }, 'UNSUPPORTED_MEDIA_TYPE', undefined],
    ['another refusal', { statusCode: 418 }, 'VALIDATION_FAILED', undefined],
    ['a fault', { statusCode: 502 }, 'INTERNAL', undefined],
    [
      'a part that is not ready',
      new ServiceUnavailableException('canary'),
      'UPSTREAM_UNAVAILABLE',
      undefined,
    ],
    ['a status that is no number', { statusCode: 'high' }, 'INTERNAL', undefined],
  ])('%s keeps its meaning', (_, thrown, code, message) => {
    const error = toAppError(thrown);
    expect(error.code).toBe(code);
    if (message) expect(error.message).toBe(message);
  });

  test('that say what is wrong with the request keep their words', () => {
    expect(toAppError(new BadRequestException('limit is no number'))).toMatchObject({
      message: 'limit is no number',
      meta: { fields: [{ field: 'request', rule: 'limit is no number' }] },
    });
  });

  test('an error of ours stays the very same', () => {
    const error = new AppError('FORBIDDEN');
    expect(toAppError(error)).toBe(error);
  });
});

describe('what a message handler throws', () => {
  const caught = (thrown: unknown): Promise<unknown> =>
    firstValueFrom(new RpcErrorFilter().catch(thrown)).catch((body: unknown) => body);

  test('travels as the body that the other side reads', async () => {
    const error = new AppError('QR_CONFLICT', 'Not yet.', { status: 'CONNECTING' });
    const body = await caught(error);
    expect(body).toEqual({ code: 'QR_CONFLICT', message: 'Not yet.', meta: { status: 'CONNECTING' } });
    expect(AppError.fromBody(body)).toMatchObject({ code: 'QR_CONFLICT', meta: { status: 'CONNECTING' } });
  });

  test('is INTERNAL without its words where nobody foresaw it', async () => {
    expect(JSON.stringify(await caught(new TypeError('canary')))).toBe(
      '{"code":"INTERNAL","message":"Something went wrong on our side.","meta":{}}',
    );
  });
});
