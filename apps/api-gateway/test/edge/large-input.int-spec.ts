import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { FieldProblem } from '@svc/contracts';
import { expectError, fieldsOf } from '../support/answers.js';
import { gateway, tenant, withGateway } from '../support/gateway.js';
import { rawPost, rawRequest } from '../support/raw-http.js';

withGateway();

let sessionId: string;

beforeAll(async () => {
  sessionId = gateway.fakes.addSession(tenant.tenantId).id;
});

const good = (): Record<string, unknown> => ({ sessionId, to: '+15550001111', text: 'x' });

describe('a body', () => {
  test.each([1_048_577, 10_000_000])('of %i bytes is 413, and the caller gets to read it', async (size) => {
    const body = JSON.stringify({ ...good(), text: 'x'.repeat(size) });
    for (let i = 0; i < 5; i += 1) {
      expectError(await gateway.call(tenant.apiKey, 'POST /v1/messages', body), 413, 'PAYLOAD_TOO_LARGE');
    }
  });

  test('of 10 MB that is written in one go, without looking up, still finds its answer', async () => {
    for (const contentType of ['application/json', 'text/plain']) {
      const bytes = rawPost('/v1/messages', tenant.apiKey, Buffer.alloc(10_000_000, 0x20), contentType);
      for (let i = 0; i < 5; i += 1) {
        const { status } = await rawRequest(gateway.service.url, bytes);
        expect(status).toBe(contentType === 'text/plain' ? 415 : 413);
      }
    }
  });

  test('of 10 MB in chunks, of unknown length or of the wrong type, is refused as well', async () => {
    const part = Buffer.alloc(65_536, 0x20);
    const chunked = async (contentType: string): Promise<Response> =>
      fetch(`${gateway.service.url}/v1/messages`, {
        method: 'POST',
        headers: { authorization: `Bearer ${tenant.apiKey}`, 'content-type': contentType },
        body: new ReadableStream({
          start: (controller) => {
            for (let i = 0; i < 160; i += 1) controller.enqueue(part);
            controller.close();
          },
        }),
        duplex: 'half',
      } as RequestInit);
    expect((await chunked('application/json')).status).toBe(413);
    expect((await chunked('text/plain')).status).toBe(415);
  });
});

describe('a caller without a key is told so', () => {
  test.each([
    ['of the wrong type', 'text/plain', 2],
    ['of another encoding', 'application/json; charset=iso-8859-1', 2],
    ['that is too large', 'application/json', 2_000_000],
    ['that is no JSON', 'application/json', 2],
  ])('before a body %s is looked at', async (_, type, size) => {
    const answer = await gateway.call(undefined, 'POST /v1/messages', '['.repeat(size), {
      'content-type': type,
    });
    expectError(answer, 401, 'UNAUTHENTICATED');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });
});

describe('a body of 1 MB that is all names or all entries', () => {
  const names = (count: number, name = (i: number) => `f${i}`): string =>
    `{${Array.from({ length: count }, (_, i) => `"${name(i)}":1`).join(',')}}`;
  const list = (count: number): string => `[${Array.from({ length: count }, (_, i) => i).join(',')}]`;
  const NAME = '"name":"x"';

  test.each([
    ['POST /v1/webhooks', () => `{${NAME},"url":"https://example.com","events":${list(150_000)}}`, 'events'],
    [`PATCH /v1/webhooks/${randomUUID()}`, () => `{"events":${list(150_000)}}`, 'events'],
    [`PATCH /v1/webhooks/${randomUUID()}`, () => `{"headers":${names(80_000)}}`, 'headers'],
    ['POST /v1/api-keys', () => `{"scopes":${list(150_000)}}`, 'scopes'],
    ['POST /v1/messages', () => names(80_000), 'body'],
    ['POST /v1/messages', () => `{"text":${names(80_000)}}`, 'text'],
    ['POST /v1/messages', () => names(60, (i) => `${i}`.padEnd(17_000, 'x')), 'body'],
    [`POST /v1/sessions/${randomUUID()}/connect`, () => names(80_000), 'body'],
  ])('to %s is refused in few words', async (route, body, field) => {
    const answer = await gateway.call(tenant.apiKey, route, body());
    expectError(answer, 400, 'VALIDATION_FAILED');
    expect(fieldsOf(answer)).toEqual([field]);
    expect(JSON.stringify(answer.body).length).toBeLessThan(1_000);
  });

  test('is told of no more than 20 fields, and how many more there are', async () => {
    const { body } = await gateway.call(tenant.apiKey, 'POST /v1/messages', names(50));
    expect((body['meta'] as { fields: FieldProblem[] }).fields).toHaveLength(20);
    expect(body['message']).toMatch(/; and \d\d more$/);
  });
});
