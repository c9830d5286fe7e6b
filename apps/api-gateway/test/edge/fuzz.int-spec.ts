import { expect, test } from '@jest/globals';
import { type ApiDocument, fuzzApi, type FuzzWorld, seededRandom } from '@svc/testing';
import { furnish } from '../support/furnish.js';
import { gateway, withSandboxGateway } from '../support/gateway.js';

// The pace of a key has a test of its own; here it would stand before every route.
withSandboxGateway({ REQUESTS_PER_SECOND: '0' });

const REQUESTS = 1_000;
/** Requests after which new resources are made: some of the old ones were deleted. */
const FRESH_AFTER = 200;
/** The same requests each time, so that a change is what turns it red; the drill goes further. */
const SEED = Number(process.env['FUZZ_SEED'] ?? 1);

async function freshWorld(isSandbox: boolean): Promise<FuzzWorld> {
  const [live, theirs] = [await gateway.createTenant(), await gateway.createTenant()];
  const mine = isSandbox ? await gateway.sandboxOf(live) : live;
  return { key: mine.apiKey, own: await furnish(mine, 'my'), foreign: await furnish(theirs, 'their') };
}

test(`${REQUESTS} requests made up from the description are answered as it says, none with a 5xx`, async () => {
  const document = (await gateway.call(undefined, 'GET /openapi.json')).body as unknown as ApiDocument;
  let world = await freshWorld(false);
  const report = await fuzzApi({
    ...{ origin: gateway.service.url, document, requests: REQUESTS, random: seededRandom(SEED) },
    world: async (done) => {
      if (done > 0 && done % FRESH_AFTER === 0) world = await freshWorld((done / FRESH_AFTER) % 2 === 1);
      return world;
    },
  });
  expect({ seed: SEED, findings: report.findings }).toEqual({ seed: SEED, findings: [] });
  // A run with few successes would have tested the authentication only.
  const share = (status: string): number => (report.statuses[status] ?? 0) / REQUESTS;
  expect(share('200') + share('201') + share('202') + share('204')).toBeGreaterThan(0.25);
  expect(share('400')).toBeGreaterThan(0.05);
  expect(share('429')).toBeLessThan(0.02);
  expect(report.neverTaken.length).toBeLessThan(Object.keys(report.routes).length / 4);
}, 300_000);
