import type { LookupAddress } from 'node:dns';
import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { AddressGuard, NOT_ALLOWED } from './address-guard.js';
import type { Resolve } from './name-resolver.js';
import { OwnNetworks } from './own-addresses.js';

/** A resolver that knows these names only. */
const knowing =
  (names: Record<string, string[]>): Resolve =>
  (hostname, _, callback) => {
    const addresses: LookupAddress[] = (names[hostname] ?? []).map((address) => ({
      address,
      family: address.includes(':') ? 6 : 4,
    }));
    const error = addresses.length > 0 ? null : Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
    queueMicrotask(() => callback(error, addresses));
  };

const NAMES = {
  'good.example': ['93.184.216.34', '2606:2800:220:1::1'],
  'evil.example': ['127.0.0.1'],
  'evil6.example': ['::1'],
  'mixed.example': ['93.184.216.34', '10.0.0.1'],
  'mapped.example': ['::ffff:169.254.169.254'],
};
const guard = new AddressGuard({ resolve: knowing(NAMES) });

// The address 127.0.0.1, 169.254.169.254 and friends in the spellings that a URL parser or an old resolver takes.
const LITERALS = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '0177.0.0.1',
  '017700000001',
  '0x7F.1',
  '127.0.0.1.',
  '127.127.127.127',
  '0',
  '0.0.0.0',
  '00000000',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[0000::0001]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[::FFFF:0:7f00:1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  '169.254.169.254',
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '[::ffff:a9fe:a9fe]',
  '[fd00:ec2::254]',
  '10.0.0.1',
  '10.1',
  '167772161',
  '172.16.0.1',
  '192.168.0.1',
  '192.168.257',
  '100.100.100.200',
  '168.63.129.16',
  '[fe80::1]',
  '[fc00::1]',
  '[fec0::1]',
  '[ff02::1]',
  '[2001:db8::1]',
  '[2001::1]',
  '[100::1]',
  '224.0.0.1',
  '255.255.255.255',
  '198.18.0.1',
  '192.0.2.1',
  '１２７.０.０.１',
  '①②⑦.0.0.1',
  '127。0。0。1',
  '%31%32%37.0.0.1',
];

test.each(LITERALS)('refuses the literal %s, at save and at connect', async (host) => {
  expect(await guard.problemWith(`https://${host}/hooks`)).toBe(NOT_ALLOWED);
  // A connection is opened to the host that the parser has read.
  expect(guard.isForbiddenHost(new URL(`https://${host}/`).hostname)).toBe(true);
});

test.each([
  'localhost',
  'LOCALHOST',
  'localhost.',
  'intranet',
  'app.localhost',
  'printer.local',
  'metadata.google.internal',
  'metadata.google.internal.',
  'router.home.arpa',
  'box.lan',
  'evil.example',
  'evil.example.',
  'evil6.example',
  'mixed.example',
  'mapped.example',
])('refuses the name %s', async (host) => {
  expect(await guard.problemWith(`https://${host}/hooks`)).toBe(NOT_ALLOWED);
});

test.each([
  'https://good.example/hooks?a=b',
  'https://GOOD.example:8443/',
  'https://good.example:1024/',
  `https://good.example/${'x'.repeat(2048 - 'https://good.example/'.length)}`,
  'https://93.184.216.34/',
  'https://[2606:4700::1111]/',
  'https://not-there-yet.example/',
])('takes %s', async (url) => {
  expect(await guard.problemWith(url)).toBeUndefined();
});

test.each([
  ['http://good.example/', 'must be an https URL'],
  ['javascript:alert(1)', 'must be an https URL'],
  ['file:///etc/passwd', 'must be an https URL'],
  ['https://', 'must be an https URL'],
  ['', 'must be an https URL'],
  [' https://good.example/', 'must not contain blanks or control characters'],
  ['https://good.example/\u0000', 'must not contain blanks or control characters'],
  ['ht\ntps://good.example/', 'must not contain blanks or control characters'],
  ['https://user@good.example/', 'must not contain a user name or password'],
  ['https://:secret@good.example/', 'must not contain a user name or password'],
  ['https://good.example:25/', NOT_ALLOWED],
  ['https://good.example:0/', NOT_ALLOWED],
  ['https://good.example:1023/', NOT_ALLOWED],
  [
    `https://good.example/${'x'.repeat(2049 - 'https://good.example/'.length)}`,
    'must not be longer than 2048 characters',
  ],
])('refuses %s', async (url, problem) => {
  expect(await guard.problemWith(url)).toBe(problem);
});

test('a tenant reads that a destination is not allowed, and not why', () => {
  expect(NOT_ALLOWED).toBe('destination not allowed');
});

test('nothing is allowed, and nothing is ours, unless somebody says so', async () => {
  const plain = new AddressGuard();
  expect(await plain.problemWith('http://127.0.0.1:9/')).toBe('must be an https URL');
  expect(plain.isAllowed(new URL('https://good.example/'))).toBe(false);
});

describe('a look at the answers when an address is saved', () => {
  afterEach(() => void jest.useRealTimers());

  test('asks for all answers of a name, and for none of a literal', async () => {
    const asked: unknown[] = [];
    const resolve: Resolve = (hostname, options, callback) => {
      asked.push([hostname, options]);
      callback(null, [{ address: '10.0.0.1', family: 4 }]);
    };
    const nosy = new AddressGuard({ resolve });
    expect(await nosy.problemWith('https://good.example./')).toBe(NOT_ALLOWED);
    expect(await nosy.problemWith('https://93.184.216.34/')).toBeUndefined();
    expect(asked).toEqual([['good.example', { all: true }]]);
  });

  test('waits no longer than a second: a name without an answer may be saved', async () => {
    jest.useFakeTimers();
    const mute = new AddressGuard({ resolve: () => undefined });
    const problem = mute.problemWith('https://mute.example/').then((text) => text ?? 'none');
    await jest.advanceTimersByTimeAsync(1_000);
    expect(await problem).toBe('none');
  });
});

describe('an allowed origin', () => {
  const local = new AddressGuard({
    allowedOrigins: ['http://127.0.0.1:*', 'http://localhost:4000', 'http://[::1]:*'],
    resolve: knowing({}),
  });

  test.each([
    'http://127.0.0.1:9/',
    'http://127.0.0.1/',
    'http://127.1:81/',
    'http://localhost:4000/x',
    'http://[::1]:5/',
  ])('lets %s through', async (url) => {
    expect(await local.problemWith(url)).toBeUndefined();
    expect(local.isAllowed(new URL(url))).toBe(true);
  });

  test.each([
    'https://127.0.0.1:9/',
    'http://127.0.0.2/',
    'http://localhost:4001/',
    'http://localhost/',
    'http://127.0.0.1.evil.example/',
    'http://127.0.0.1@evil.example/',
    'http://10.0.0.1/',
  ])('does not let %s through', async (url) => {
    expect(await local.problemWith(url)).toBeDefined();
    expect(local.isAllowed(new URL(url))).toBe(false);
  });
});

describe('our own addresses', () => {
  const ours = new AddressGuard({
    ownAddresses: ['93.184.216.34', '93.184.217.0/24', '2606:2800:220::/48'],
    resolve: knowing({
      ...NAMES,
      'ours.example': ['93.184.217.9'],
      'ours6.example': ['93.184.218.1', '2606:2800:220:1::1'],
      'theirs.example': ['93.184.218.1', '2606:2800:221::1'],
    }),
  });

  test.each([
    '93.184.216.34',
    '1572395042',
    '0x5db8d822',
    '93.184.217.255',
    '[2606:2800:220:1::1]',
    'good.example',
    'ours.example',
    'ours6.example',
  ])('are refused as %s, though they are public', async (host) => {
    expect(await ours.problemWith(`https://${host}/`)).toBe(NOT_ALLOWED);
  });

  test.each(['93.184.216.35', '93.184.218.1', '[2606:2800:221::1]', 'theirs.example'])(
    'end before %s',
    async (host) => {
      expect(await ours.problemWith(`https://${host}/`)).toBeUndefined();
    },
  );

  test('cannot be reached as mapped ones either, nor by a name that changes its mind', async () => {
    expect(['::ffff:93.184.217.1', '::ffff:5db8:d901'].map((address) => ours.mayReach(address))).toEqual([
      false,
      false,
    ]);
    const refused = await new Promise((resolve) => {
      ours.lookup('ours6.example', { all: true }, (error) => resolve(error?.code));
    });
    expect(refused).toBe('DESTINATION_NOT_ALLOWED');
  });

  test('are those of this machine, too', () => {
    const here = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
    expect(here.length).toBeGreaterThan(0);
    for (const { address } of here) expect(new OwnNetworks([]).has(address)).toBe(true);
    expect(new OwnNetworks([]).has('93.184.216.34')).toBe(false);
  });

  test('stay known when the machine cannot say them', () => {
    const fails = (): never => {
      throw Object.assign(new Error('no descriptors'), { code: 'ERR_SYSTEM_ERROR' });
    };
    const networks = new OwnNetworks(['93.184.216.34'], fails);
    expect(['93.184.216.34', '93.184.216.35'].map((address) => networks.has(address))).toEqual([true, false]);
  });
});

describe('the lookup of a connection', () => {
  const ask = (hostname: string, all: boolean): Promise<unknown> =>
    new Promise((resolve) => {
      guard.lookup(hostname, { all }, (error, address) => resolve(error ? (error.code as string) : address));
    });

  test('fails where any answer is forbidden', async () => {
    for (const host of ['evil.example', 'evil6.example', 'mixed.example', 'mapped.example']) {
      expect([host, await ask(host, true)]).toEqual([host, 'DESTINATION_NOT_ALLOWED']);
      expect([host, await ask(host, false)]).toEqual([host, 'DESTINATION_NOT_ALLOWED']);
    }
  });

  test('answers in the shape it was asked for', async () => {
    expect(await ask('good.example', false)).toBe('93.184.216.34');
    expect(await ask('good.example', true)).toEqual([
      { address: '93.184.216.34', family: 4 },
      { address: '2606:2800:220:1::1', family: 6 },
    ]);
    expect(await ask('unknown.example', true)).toBe('ENOTFOUND');
  });
});
