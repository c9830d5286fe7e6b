import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import type { CommandContract, EventContract, NoticeContract, RequestContract } from './contract.js';
import { parseData, parseEnvelope } from './parsing.js';
import * as door from './index.js';

type Published = EventContract | CommandContract;
type AnyContract = Published | RequestContract | NoticeContract;

const contracts = Object.values<unknown>({ ...door }).filter(
  (value): value is AnyContract => typeof value === 'object' && value !== null && 'kind' in value,
);
const published = contracts.filter((one): one is Published => one.kind === 'event' || one.kind === 'command');
const requests = contracts.filter((one): one is RequestContract => one.kind === 'request');
const notices = contracts.filter((one): one is NoticeContract => one.kind === 'notice');

const DIRECTORY = new URL('../fixtures/', import.meta.url);
const filesIn = (folder: string): string[] =>
  readdirSync(new URL(folder, DIRECTORY))
    .filter((file) => file.endsWith('.json'))
    .map((file) => `${folder}${file}`);
const read = (file: string): Record<string, unknown> =>
  JSON.parse(readFileSync(new URL(file, DIRECTORY), 'utf8')) as Record<string, unknown>;
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value)) as unknown;

const envelopes = filesIn('');
const files = [...envelopes, ...filesIn('requests/'), ...filesIn('notices/')];

/** `message.sent.v1.json`, `message.sent.v1.no-client-id.json` */
const ENVELOPE = /^(?<name>[a-z_.-]+?)\.v(?<version>\d+)(\.[a-z-]+)?\.json$/;
/** `requests/limits.reserve.request.json`, `requests/limits.reserve.reply.refused.json` */
const REQUEST = /^requests\/(?<name>[a-z-]+\.[a-z-]+)\.(?<part>request|reply)(\.[a-z-]+)?\.json$/;
/** `notices/api-gateway.send-permissions-changed.json` */
const NOTICE = /^notices\/(?<name>[a-z-]+\.[a-z-]+)(\.[a-z-]+)?\.json$/;

function publishedOf(file: string): Published | undefined {
  const { name, version } = ENVELOPE.exec(file)?.groups ?? {};
  return published.find((one) => one.name === name && one.version === Number(version));
}

/** Reads a sample as its receiver does. */
function readerOf(file: string): (sample: unknown) => object {
  const contract = publishedOf(file);
  if (contract) return (sample) => parseEnvelope(contract, sample);
  const { name, part } = (REQUEST.exec(file) ?? NOTICE.exec(file))?.groups ?? {};
  const request = requests.find(({ subject }) => subject === `rpc.${name}`);
  const notice = notices.find(({ subject }) => subject === `notice.${name}`);
  const type = part ? request?.[part as 'request' | 'reply'] : notice?.data;
  if (!type) throw new Error(`${file} belongs to no contract that is still read`);
  return (sample) => parseData(type, sample);
}

describe('every sample ever published', () => {
  test.each(files)('%s keeps parsing, and nothing of it is lost', (file) => {
    const sample = read(file);
    // A class of later fills in what the sample has not, by its defaults.
    expect(plain(readerOf(file)(structuredClone(sample)))).toMatchObject(sample);
  });

  test.each(files)('%s is read although a newer sender adds fields', (file) => {
    const sample = read(file) as { data?: object };
    const later = { deep: [1] };
    const data = sample.data && { data: { ...sample.data, later } };
    const reader = readerOf(file);
    expect(plain(reader({ ...sample, later, ...data }))).toEqual(plain(reader(structuredClone(sample))));
  });

  test.each(envelopes)('%s is refused under the next version, which nobody here knows', (file) => {
    const sample = read(file);
    const next = { ...sample, version: (sample['version'] as number) + 1 };
    expect(() => readerOf(file)(next)).toThrow(expect.objectContaining({ code: 'VALIDATION_FAILED' }));
  });

  // A process of an earlier release sends such a sample again: another sample may be added, none is changed.
  test.each(Object.entries(read('../published-fixtures.json')))('%s is what it was', (file, digest) => {
    expect(files).toContain(file);
    expect(
      createHash('sha256')
        .update(JSON.stringify(read(file)))
        .digest('hex'),
    ).toBe(digest);
  });
});

describe('contracts', () => {
  test('were found', () => {
    expect(published.length).toBeGreaterThanOrEqual(12);
    expect(requests.length).toBeGreaterThanOrEqual(50);
    expect(notices.length).toBeGreaterThanOrEqual(5);
  });

  test.each([
    ...published.map(({ name, version }) => `${name}.v${version}.json`),
    ...requests.flatMap(({ subject }) =>
      ['request', 'reply'].map((part) => `requests/${subject.replace('rpc.', '')}.${part}.json`),
    ),
    ...notices.map(({ subject }) => `notices/${subject.replace('notice.', '')}.json`),
  ])('%s is there', (file) => {
    expect(files).toContain(file);
  });

  test('have a name and version each of their own', () => {
    const names = published.map(({ kind, name, version }) => `${kind} ${name} v${version}`);
    expect(new Set(names).size).toBe(names.length);
  });

  test('have a subject each of their own, named after the app that answers or publishes', () => {
    const subjects = [...requests, ...notices].map(({ subject }) => subject);
    expect(new Set(subjects).size).toBe(subjects.length);
    for (const { app, subject } of requests) expect(subject).toMatch(new RegExp(`^rpc\\.${app}\\.[a-z-]+$`));
    for (const { app, subject } of notices)
      expect(subject).toMatch(new RegExp(`^notice\\.${app}\\.[a-z-]+$`));
  });
});
