import type { LookupAddress } from 'node:dns';
import { describe, expect, test } from '@jest/globals';
import { AddressGuard, type Resolve } from '../src/index.js';
import { OutboundHttp } from '../src/http/outbound-http.js';
import { CountingServer } from './counting-server.js';
import { LIMITS } from './limits.js';

/** A server of our own network that nobody must reach through us. */
const server = CountingServer.ofThisFile((_, response) => response.end('fine'));

const body = Buffer.from('{}');

describe('a destination that is not allowed', () => {
  /** Resolves to a public address first, and to the server of this test from then on: as in a rebinding attack. */
  function rebinding(answers: LookupAddress[][]): Resolve {
    let turn = 0;
    return (_, __, callback) => {
      const addresses = answers[Math.min(turn, answers.length - 1)] ?? [];
      turn += 1;
      queueMicrotask(() => callback(null, addresses));
    };
  }
  const PUBLIC = { address: '93.184.216.34', family: 4 };
  const LOCAL = { address: '127.0.0.1', family: 4 };

  test.each([
    'http://127.0.0.1',
    'http://127.1',
    'http://2130706433',
    'http://0x7f000001',
    'http://0177.0.0.1',
    'http://0',
    'http://[::1]',
    'http://[::ffff:127.0.0.1]',
    'http://[::ffff:7f00:1]',
    'http://localhost',
    'http://localhost.',
  ])('gets no connection: %s', async (origin) => {
    const client = new OutboundHttp(new AddressGuard());
    const before = server.connections;
    expect(await client.post(`${origin}:${server.port}/ok`, {}, body, LIMITS)).toMatchObject({
      status: null,
      error: 'DESTINATION_NOT_ALLOWED',
    });
    expect(server.connections).toBe(before);
    client.close();
  });

  test.each([
    ['an address record', [[LOCAL]]],
    ['an IPv6 record', [[{ address: '::1', family: 6 }]]],
    ['a mapped record', [[{ address: '::ffff:127.0.0.1', family: 6 }]]],
    ['one of several answers', [[PUBLIC, LOCAL]]],
  ])('gets no connection by %s', async (_, answers) => {
    const client = new OutboundHttp(new AddressGuard({ resolve: rebinding(answers) }));
    const before = server.connections;
    expect(await client.post(`http://hooks.example:${server.port}/ok`, {}, body, LIMITS)).toMatchObject({
      error: 'DESTINATION_NOT_ALLOWED',
    });
    expect(server.connections).toBe(before);
    client.close();
  });

  test('gets no connection when a name that was fine at save points elsewhere later', async () => {
    const guard = new AddressGuard({ resolve: rebinding([[PUBLIC], [LOCAL]]) });
    expect(await guard.problemWith(`https://hooks.example:${server.port}/ok`)).toBeUndefined();
    const client = new OutboundHttp(guard);
    const before = server.connections;
    for (const protocol of ['http', 'https']) {
      const url = `${protocol}://hooks.example:${server.port}/ok`;
      expect(await client.post(url, {}, body, LIMITS)).toMatchObject({
        error: 'DESTINATION_NOT_ALLOWED',
      });
    }
    expect(server.connections).toBe(before);
    client.close();
  });

  test('gets nothing although a lookup let it pass: the socket itself is looked at', async () => {
    const guard = new AddressGuard();
    Object.assign(guard, {
      lookup: (_: string, __: object, callback: (error: null, addresses: LookupAddress[]) => void) =>
        callback(null, [LOCAL]),
    });
    const client = new OutboundHttp(guard);
    const before = server.requests;
    expect(await client.post(`http://hooks.example:${server.port}/ok`, {}, body, LIMITS)).toMatchObject({
      error: 'DESTINATION_NOT_ALLOWED',
    });
    expect(server.requests).toBe(before);
    client.close();
  });
});
