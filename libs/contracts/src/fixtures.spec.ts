import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import type { CommandContract, EventContract, RequestContract } from './contract.js';
import { parseEnvelope } from './envelope.js';
import { PUBLIC_EVENTS } from './events/events.js';
import * as door from './index.js';

type Published = EventContract | CommandContract;
type AnyContract = Published | RequestContract;

const contracts = Object.values<unknown>({ ...door }).filter(
  (value): value is AnyContract => typeof value === 'object' && value !== null && 'kind' in value,
);
const published = contracts.filter(
  (contract): contract is Published => contract.kind === 'event' || contract.kind === 'command',
);
const requests = contracts.filter((contract): contract is RequestContract => contract.kind === 'request');

const DIRECTORY = new URL('../fixtures/', import.meta.url);
const files = readdirSync(DIRECTORY);
const read = (file: string): Record<string, unknown> =>
  JSON.parse(readFileSync(new URL(file, DIRECTORY), 'utf8')) as Record<string, unknown>;
/** `message.sent.v1.json`, `message.sent.v1.no-client-id.json` */
const NAME = /^(?<name>[a-z_.-]+?)\.v(?<version>\d+)(\.[a-z-]+)?\.json$/;

function contractOf(file: string): Published {
  const { name, version } = NAME.exec(file)?.groups ?? {};
  const contract = published.find((one) => one.name === name && one.version === Number(version));
  if (!contract) throw new Error(`${file} belongs to no contract that is still read`);
  return contract;
}

describe('every sample ever published', () => {
  test.each(files)('%s keeps parsing, and nothing of it is lost', (file) => {
    const sample = read(file);
    const parsed = parseEnvelope(contractOf(file), structuredClone(sample));
    expect(JSON.parse(JSON.stringify(parsed))).toEqual(sample);
  });

  test.each(files)('%s is read although a newer producer adds fields', (file) => {
    const sample = read(file) as { data: object };
    const newer = { ...sample, region: 'eu', data: { ...sample.data, later: { deep: [1] } } };
    expect(JSON.parse(JSON.stringify(parseEnvelope(contractOf(file), newer)))).toEqual(sample);
  });

  test.each(files)('%s is refused under the next version, which nobody here knows', (file) => {
    const contract = contractOf(file);
    const next = { ...read(file), version: contract.version + 1 };
    expect(() => parseEnvelope(contract, next)).toThrow(
      expect.objectContaining({ code: 'VALIDATION_FAILED' }),
    );
  });
});

describe('contracts', () => {
  test('were found', () => {
    expect(published.length).toBeGreaterThanOrEqual(12);
    expect(requests.length).toBeGreaterThanOrEqual(20);
  });

  test.each(published.map((contract) => [`${contract.name}.v${contract.version}.json`]))(
    '%s is there',
    (file) => {
      expect(files).toContain(file);
    },
  );

  test('have a name and version each of their own', () => {
    const names = published.map(({ kind, name, version }) => `${kind} ${name} v${version}`);
    expect(new Set(names).size).toBe(names.length);
  });

  test('have a subject each of their own, named after the app that answers', () => {
    const subjects = requests.map((request) => request.subject);
    expect(new Set(subjects).size).toBe(subjects.length);
    for (const { app, subject } of requests) expect(subject).toMatch(new RegExp(`^rpc\\.${app}\\.[a-z-]+$`));
  });

  test('of events exist for every event a customer can subscribe to', () => {
    const events = published.filter(({ kind }) => kind === 'event').map(({ name }) => name);
    expect(events).toEqual(expect.arrayContaining([...PUBLIC_EVENTS]));
  });
});
