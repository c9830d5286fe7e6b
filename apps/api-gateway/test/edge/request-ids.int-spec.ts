import type { Server } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { HttpAdapterHost } from '@nestjs/core';
import { expectError } from '../support/answers.js';
import { type Answer, gateway, tenant, withGateway } from '../support/gateway.js';
import { rawRequest } from '../support/raw-http.js';

withGateway();

const OURS = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const ask = (route: string, id: string, body?: object): Promise<Answer> =>
  gateway.call(tenant.apiKey, route, body, { 'x-request-id': id });
const idOf = ({ headers }: Answer): string | null => headers.get('x-request-id');

/** Writes a request that closes the connection after its answer. */
const raw = (line: string, ...headers: string[]): string =>
  [line, ...headers, 'connection: close', '', ''].join('\r\n');

describe("a caller's id of a request", () => {
  test.each(['a', 'order-4711', '0198c0de-0000-7000-8000-0000000000e1', 'A.b_C-9', 'x'.repeat(128)])(
    'is kept: %s',
    async (id) => {
      expect(idOf(await ask('GET /v1/sessions', id))).toBe(id);
      expect(idOf(await ask('GET /openapi.json', id))).toBe(id);
    },
  );

  test('stands in the body of an error, whoever refuses', async () => {
    for (const [route, status, body] of [
      ['GET /v1/nothing', 404],
      ['PUT /v1/sessions', 405],
      ['GET /v1/messages/1', 404],
      ['POST /v1/messages', 400, {}],
      ['GET /v1/public/widget/1/config', 404],
    ] as const) {
      const answer = await ask(route, 'mine', body);
      expect({ route, status: answer.status, id: idOf(answer), body: answer.body['requestId'] }).toEqual({
        ...{ route, status, id: 'mine', body: 'mine' },
      });
    }
    const unknown = await gateway.call(undefined, 'GET /v1/sessions', undefined, { 'x-request-id': 'mine' });
    expect(unknown).toMatchObject({ status: 401, body: { requestId: 'mine' } });
  });

  test('is kept by what is no request of the API', async () => {
    for (const bytes of [
      raw('GET /v1/sessions HTTP/1.1', 'x-request-id: mine'),
      raw('CONNECT example.com:443 HTTP/1.1', 'host: example.com', 'x-request-id: mine'),
      raw('GET /v1/sessions HTTP/1.1', 'host: x', 'expect: tea', 'x-request-id: mine'),
    ]) {
      const answer = await rawRequest(gateway.service.url, bytes);
      expect([bytes, idOf(answer), answer.body['requestId']]).toEqual([bytes, 'mine', 'mine']);
    }
  });

  test.each([
    ['that is empty', ''],
    ['with a blank', 'a b'],
    ['of 129 characters', 'x'.repeat(129)],
    ['with quotes', '"a"'],
    ['with an umlaut', '\u00fc'],
    ['with a slash', '../a'],
    ['that looks like a line of a log', 'a%0ab'],
  ])('%s is replaced by a new one', async (_, id) => {
    const answer = await ask('GET /v1/messages/1', id);
    expect(idOf(answer)).toMatch(OURS);
    expect(answer.body['requestId']).toBe(idOf(answer));
  });

  test('that is given twice is replaced by a new one', async () => {
    const bytes = raw('GET /v1/sessions HTTP/1.1', 'host: x', 'x-request-id: a', 'x-request-id: b');
    expect(idOf(await rawRequest(gateway.service.url, bytes))).toMatch(OURS);
  });
});

// The server answers these before there is a request, or refuses them in the middle of one.
test.each([
  ['no HTTP at all', 'hello\r\n\r\n', 400, 'VALIDATION_FAILED'],
  ['a method that nobody knows', raw('BREW /v1/sessions HTTP/1.1', 'host: x'), 400, 'VALIDATION_FAILED'],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'VALIDATION_FAILED'],
  ['no host', raw('GET /v1/sessions HTTP/1.1'), 400, 'VALIDATION_FAILED'],
  [
    'headers without end',
    raw('GET / HTTP/1.1', 'host: x', `a: ${'a'.repeat(40_000)}`),
    431,
    'HEADERS_TOO_LARGE',
  ],
  ['a path without end', raw(`GET /${'a'.repeat(40_000)} HTTP/1.1`, 'host: x'), 431, 'HEADERS_TOO_LARGE'],
  ['CONNECT', raw('CONNECT example.com:443 HTTP/1.1', 'host: x'), 405, 'METHOD_NOT_ALLOWED'],
  [
    'an unmet expectation',
    raw('GET /v1/sessions HTTP/1.1', 'host: x', 'expect: tea'),
    401,
    'UNAUTHENTICATED',
  ],
  [
    'a wrong length',
    raw('POST /v1/messages HTTP/1.1', 'host: x', 'content-length: abc'),
    400,
    'VALIDATION_FAILED',
  ],
  [
    'a broken chunk',
    `${raw('POST /v1/public/link/look HTTP/1.1', 'host: x', 'transfer-encoding: chunked')}zz\r\n`,
    ...([400, 'VALIDATION_FAILED'] as const),
  ],
] as const)('an answer to %s says its request id', async (_, bytes, status, code) => {
  expectError(await rawRequest(gateway.service.url, bytes), status, code);
});

test('an answer to headers that take too long says its request id', async () => {
  const server = gateway.service.get(HttpAdapterHost).httpAdapter.getHttpServer() as Server;
  server.headersTimeout = 1;
  const answer = await rawRequest(gateway.service.url, 'GET / HTTP/1.1\r\nhost: x\r\n');
  expectError(answer, 408, 'REQUEST_TIMEOUT');
});
