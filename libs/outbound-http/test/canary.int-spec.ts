import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, isIP, Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { AddressGuard, type Resolve } from '../src/index.js';
import { OutboundHttp } from '../src/http/outbound-http.js';
import { LIMITS } from './limits.js';

/** Server on every address of this machine: a connection to it shows here. */
const canary = createServer((socket) => {
  connections += 1;
  socket.destroy();
});
let connections = 0;
/** A receiver that is allowed, and answers with redirects. */
const redirecting = createHttpServer((request, response) =>
  response
    .writeHead(Number(request.headers['x-status']), { location: String(request.headers['x-to']) })
    .end(),
);
const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port;

/** Destinations of this process: where no server listens, only this shows an attempt. */
const attempted: string[] = [];
const { connect } = Socket.prototype;
beforeAll(() => {
  Socket.prototype.connect = function (this: Socket, ...options: unknown[]): Socket {
    this.on('connectionAttempt', (ip: string, port: number) => attempted.push(`${ip}:${port}`));
    return Reflect.apply(connect, this, options) as Socket;
  };
});
beforeEach(() => void (attempted.length = 0));
afterAll(() => void (Socket.prototype.connect = connect));

beforeAll(async () => {
  await once(canary.listen(0, '::'), 'listening');
  await once(redirecting.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  canary.close();
  redirecting.closeAllConnections();
  redirecting.close();
});

const LOOPBACK = [
  ...[
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f000001',
    '0x7f.0.0.1',
    '0x7f.1',
    '0177.0.0.1',
    '0177.1',
  ],
  ...[
    '017700000001',
    '0x7F.0x0.0x0.0x1',
    '127.0.0.1.',
    '127.127.127.127',
    '127.255.255.254',
    '0',
    '0.0.0.0',
    '0x0',
  ],
  ...[
    '00000000',
    '１２７.０.０.１',
    '①②⑦.0.0.1',
    '127。0。0。1',
    '%31%32%37.0.0.1',
    '[::1]',
    '[::]',
    '[0:0:0:0:0:0:0:1]',
  ],
  ...[
    '[0000::0001]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::FFFF:7F00:0001]',
    '[::127.0.0.1]',
    '[::ffff:0:127.0.0.1]',
  ],
];
const ELSEWHERE = [
  ...[
    '169.254.169.254',
    '2852039166',
    '0xa9fea9fe',
    '0251.0376.0251.0376',
    '169.254.43518',
    '[::ffff:a9fe:a9fe]',
  ],
  ...[
    '[fd00:ec2::254]',
    '10.0.0.1',
    '10.1',
    '167772161',
    '0xa.1',
    '172.16.0.1',
    '172.31.255.254',
    '192.168.0.1',
  ],
  ...[
    '192.168.257',
    '0xc0a80001',
    '100.64.0.1',
    '100.100.100.200',
    '168.63.129.16',
    '[fe80::1]',
    '[febf::1]',
    '[fc00::1]',
  ],
  ...[
    '[fec0::1]',
    '[ff02::1]',
    '[2001:db8::1]',
    '[2001::1]',
    '[2002:7f00:1::]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b::a9fe:a9fe]',
  ],
  ...[
    '[100::1]',
    '[3fff::1]',
    '[5f00::1]',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '198.18.0.1',
    '192.0.2.1',
    '203.0.113.1',
  ],
];
const PUBLIC: LookupAddress = { address: '93.184.216.34', family: 4 };

/** Answers with these, one after the other, and then with the last again. */
function answering(answers: LookupAddress[][]): Resolve {
  let turn = 0;
  return (_, __, callback) => {
    const addresses = answers[Math.min(turn++, answers.length - 1)] ?? [];
    queueMicrotask(() => callback(null, addresses));
  };
}

/** Writes a host as a header can carry it. */
const ascii = (host: string): string => host.replace(/[^\0-\x7f]/g, encodeURIComponent);

/** Makes the answers of a name server by which a name means this host. */
function recordsOf(host: string): LookupAddress[] {
  const { hostname } = new URL(`http://${host}/`);
  const address = hostname.replace(/[[\]]/g, '');
  const family = isIP(address);
  const mapped = family === 4 ? [{ address: `::ffff:${address}`, family: 6 }] : [];
  return [{ address, family }, ...mapped];
}

/** Names the error of a POST by a client of its own. */
async function errorOf(url: string, guard: AddressGuard, headers = {}): Promise<string | null> {
  const client = new OutboundHttp(guard);
  const { error } = await client.post(url, headers, Buffer.from('{}'), LIMITS);
  client.close();
  return error;
}

/** Names the error of a POST to the receiver that answers with a redirect. */
function errorOfRedirect(status: number, to: string): Promise<string | null> {
  const origin = `http://127.0.0.1:${portOf(redirecting)}`;
  const guard = new AddressGuard({ allowedOrigins: [origin] });
  return errorOf(`${origin}/`, guard, { 'x-status': String(status), 'x-to': to });
}

test.each([...LOOPBACK, ...ELSEWHERE])(
  'nobody gets to %s: as a literal, by name, by a redirect',
  async (host) => {
    const port = portOf(canary);
    const outcomes: unknown[] = [];
    const attempt = async (url: string, resolve?: Resolve): Promise<void> =>
      void outcomes.push(await errorOf(url, new AddressGuard({ resolve })));
    for (const protocol of ['http', 'https']) await attempt(`${protocol}://${host}:${port}/`);
    for (const record of recordsOf(host))
      for (const answers of [[[record]], [[PUBLIC, record]], [[record, PUBLIC]]])
        await attempt(`http://hooks.example:${port}/`, answering(answers));
    // The name had a public address when it was saved, and has another one at the connection.
    for (const record of recordsOf(host)) {
      const resolve = answering([[PUBLIC], [record]]);
      const guard = new AddressGuard({ resolve });
      expect(await guard.problemWith(`https://hooks.example:${port}/`)).toBeUndefined();
      await attempt(`http://hooks.example:${port}/`, resolve);
    }
    expect(new Set(outcomes)).toEqual(new Set(['DESTINATION_NOT_ALLOWED']));
    expect(attempted).toEqual([]);
    for (const status of [302, 307, 308])
      expect(await errorOfRedirect(status, `http://${ascii(host)}:${port}/`)).toBe('REDIRECT_NOT_FOLLOWED');
    expect(new Set(attempted)).toEqual(new Set([`127.0.0.1:${portOf(redirecting)}`]));
    expect(connections).toBe(0);
  },
);

test.each([301, 302, 303, 307, 308])('a %i to the metadata of a cloud is not followed', async (status) => {
  const to = 'http://169.254.169.254/latest/meta-data';
  expect(await errorOfRedirect(status, to)).toBe('REDIRECT_NOT_FOLLOWED');
  expect(attempted).toEqual([`127.0.0.1:${portOf(redirecting)}`]);
});

test.each(['http', 'https'])(
  'the canary hears whoever gets through by %s, and the attempt shows',
  async (protocol) => {
    const before = connections;
    const origin = `${protocol}://127.0.0.1:${portOf(canary)}`;
    expect(await errorOf(`${origin}/`, new AddressGuard({ allowedOrigins: [origin] }))).toBe(
      'CONNECTION_CLOSED',
    );
    expect(connections).toBe(before + 1);
    expect(attempted).toEqual([`127.0.0.1:${portOf(canary)}`]);
  },
);

test('these are sixty spellings and more', () => {
  expect(new Set([...LOOPBACK, ...ELSEWHERE]).size).toBeGreaterThanOrEqual(60);
});
