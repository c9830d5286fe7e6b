import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { type ApiDocument, breakingChanges } from '@svc/testing';
import { gateway, withGateway } from '../support/gateway.js';

withGateway();

const FILE = join(import.meta.dirname, '../../../../docs/openapi.released.json');

// Breaks with a list of what a client of the last release could not rely on any more (docs/versioning.md).
test('nothing is broken of what the last release promised', async () => {
  const released = JSON.parse(readFileSync(FILE, 'utf8')) as ApiDocument;
  const current = (await gateway.call(undefined, 'GET /openapi.json')).body as unknown as ApiDocument;
  expect(Object.keys(released.paths).length).toBeGreaterThan(20);
  expect(breakingChanges(released, current)).toEqual([]);
});
