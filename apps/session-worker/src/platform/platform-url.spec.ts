import { expect, test } from '@jest/globals';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { IsPlatformUrl, isPlatformUrl, IsSandboxUrl, IsVersionSources } from './platform-url.js';

test.each([
  ['wss://web.whatsapp.com/ws/chat', 'production', true],
  ['wss://web.whatsapp.com/ws/chat', 'development', true],
  ['ws://127.0.0.1:7070/ws/chat', 'development', true],
  ['ws://localhost:7070/ws/chat', 'development', true],
  ['ws://[::1]:7070/ws/chat', 'development', true],
  ['ws://127.0.0.1:7070/ws/chat', 'production', false],
  ['ws://platform.example/ws/chat', 'development', false],
  ['http://127.0.0.1/', 'development', false],
  ['no address', 'development', false],
  [undefined, 'production', false],
])('%s in %s: allowed %s', (url, mode, allowed) => {
  expect(isPlatformUrl(url, mode)).toBe(allowed);
});

class Addresses {
  mode: string | undefined;

  @IsPlatformUrl()
  platformUrl: unknown = 'wss://web.whatsapp.com/ws/chat';

  @IsSandboxUrl()
  sandboxUrl: unknown = 'wss://sandbox.example/ws/chat';
}

/** Validates a configuration and lists the names of the rules that it breaks. */
const problemsOf = (fields: Partial<Addresses>): object =>
  Object.assign(
    {},
    ...validateSync(Object.assign(new Addresses(), fields)).map(({ constraints }) => constraints),
  );

test('a configuration may have the platform’s own address, and in development one of this machine', () => {
  expect(problemsOf({})).toEqual({});
  expect(problemsOf({ platformUrl: 'ws://127.0.0.1:7070/ws/chat', mode: 'development' })).toEqual({});
});

test.each([
  [{ platformUrl: 'ws://127.0.0.1:7070/ws/chat', mode: 'production' }],
  [{ platformUrl: 'ws://127.0.0.1:7070/ws/chat' }],
  [{ platformUrl: 'ws://platform.example/ws/chat', mode: 'development' }],
  [{ platformUrl: undefined, mode: 'development' }],
])('a configuration may not have %j: nothing but TLS authenticates the platform', (fields) => {
  expect(problemsOf(fields)).toEqual({
    isPlatformUrl: 'platformUrl must be a wss:// address (ws:// only on loopback, with SVC_MODE=development)',
  });
});

test('a sandbox may be anywhere, in any mode, with TLS or without: it has a trust root of its own', () => {
  for (const sandboxUrl of ['ws://sandbox.example/', 'wss://sandbox.example/', 'ws://127.0.0.1:7070/'])
    expect(problemsOf({ sandboxUrl, mode: 'production' })).toEqual({});
});

test.each([
  'http://sandbox.example/',
  'xws://sandbox.example/',
  'wsx://sandbox.example/',
  'no address',
  undefined,
  7,
])('a sandbox is not at %s', (sandboxUrl) => {
  expect(problemsOf({ sandboxUrl })).toEqual({
    isSandboxUrl: 'sandboxUrl must be a ws:// or wss:// address',
  });
});

test('a value that only looks like an address is none', () => {
  const address = { toString: () => 'wss://web.whatsapp.com/ws/chat' };
  expect(isPlatformUrl(address, 'production')).toBe(false);
  expect(problemsOf({ sandboxUrl: address })).toHaveProperty('isSandboxUrl');
});

class Sources {
  @IsVersionSources()
  sources: unknown;
}

/** Reads a list of sources as the configuration does, and names the rules that it breaks. */
const readSources = (sources: unknown): { sources: unknown; problems: unknown } => {
  const read = plainToInstance(Sources, { sources });
  return { sources: read.sources, problems: validateSync(read).map(({ constraints }) => constraints) };
};

test('versions come from pages that TLS or this machine vouches for, and from files', () => {
  const pages = [
    'https://versions.example/a',
    'http://127.0.0.1:7070/b',
    'http://[::1]/c',
    'file:///versions.json',
  ];
  expect(readSources(pages.join(' , '))).toEqual({ sources: pages, problems: [] });
});

test.each([
  'http://versions.example/a',
  'ftp://127.0.0.1/a',
  'no address',
  '',
  'https://versions.example/a,',
  'https://versions.example/a,http://versions.example/b',
  7,
  null,
])('versions do not come from %j', (sources) => {
  expect(readSources(sources).problems).toEqual([
    {
      isVersionSources:
        'sources must be https: or file: addresses, separated by commas (http: only on loopback)',
    },
  ]);
});

test('a list of sources that is a list already is taken as it is, with nothing but addresses', () => {
  expect(readSources(['https://versions.example/a'])).toMatchObject({ problems: [] });
  const address = { toString: () => 'https://versions.example/a' };
  expect(readSources([address]).problems).toHaveLength(1);
});
