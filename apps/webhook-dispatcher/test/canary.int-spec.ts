import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, isIP } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { AddressGuard, type Resolve } from '@svc/addresses';
import { WebhookClient } from '../src/sending/webhook-client.js';

/** Listens on every address of this machine: whoever gets through to it shows. */
const canary = createServer((socket) => {
  connections += 1;
  socket.destroy();
});
let connections = 0;
/** A receiver that is allowed, and sends everybody on. */
const redirecting = createHttpServer((request, response) =>
  response.writeHead(302, { location: String(request.headers['x-to']) }).end(),
);
const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port;

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

/** As a header can carry it. */
const ascii = (host: string): string => host.replace(/[^\0-\x7f]/g, encodeURIComponent);

/** What a name server could say so that a name means this host. */
function recordsOf(host: string): LookupAddress[] {
  const { hostname } = new URL(`http://${host}/`);
  const address = hostname.replace(/[[\]]/g, '');
  const family = isIP(address);
  const mapped = family === 4 ? [{ address: `::ffff:${address}`, family: 6 }] : [];
  return [{ address, family }, ...mapped];
}

test.each([...LOOPBACK, ...ELSEWHERE])(
  'nobody gets to %s: as a literal, by name, by a redirect',
  async (host) => {
    const port = portOf(canary);
    const outcomes: unknown[] = [];
    const attempt = async (
      url: string,
      resolve?: Resolve,
      origins: string[] = [],
      to = '',
    ): Promise<void> => {
      const guard = new AddressGuard({ allowedOrigins: origins, resolve });
      const client = new WebhookClient(guard, 10_000);
      outcomes.push((await client.post(url, { 'x-to': to }, Buffer.from('{}'))).error);
      await client.close();
    };
    for (const protocol of ['http', 'https']) await attempt(`${protocol}://${host}:${port}/`);
    for (const record of recordsOf(host))
      for (const answers of [[[record]], [[PUBLIC, record]], [[record, PUBLIC]]])
        await attempt(`http://hooks.example:${port}/`, answering(answers));
    // Fine when it was saved, another one at the connection.
    for (const record of recordsOf(host)) {
      const resolve = answering([[PUBLIC], [record]]);
      const guard = new AddressGuard({ resolve });
      expect(await guard.problemWith(`https://hooks.example:${port}/`)).toBeUndefined();
      await attempt(`http://hooks.example:${port}/`, resolve);
    }
    expect(new Set(outcomes)).toEqual(new Set(['DESTINATION_NOT_ALLOWED']));
    const origin = `http://127.0.0.1:${portOf(redirecting)}`;
    await attempt(`${origin}/`, undefined, [origin], `http://${ascii(host)}:${port}/`);
    expect(outcomes.at(-1)).toBe('REDIRECT_NOT_FOLLOWED');
    expect(connections).toBe(0);
  },
);

test('the canary hears whoever gets through', async () => {
  const origin = `http://127.0.0.1:${portOf(canary)}`;
  const client = new WebhookClient(new AddressGuard({ allowedOrigins: [origin] }), 10_000);
  expect((await client.post(`${origin}/`, {}, Buffer.from('{}'))).error).toBe('CONNECTION_CLOSED');
  expect(connections).toBe(1);
  await client.close();
});

test('these are sixty spellings and more', () => {
  expect(new Set([...LOOPBACK, ...ELSEWHERE]).size).toBeGreaterThanOrEqual(60);
});
