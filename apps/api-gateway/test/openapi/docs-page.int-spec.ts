import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { findChromium } from '../support/chromium.js';
import { gateway, withGateway } from '../support/gateway.js';

withGateway();

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

test('the page of the description and all it loads come from the gateway, under a strict policy', async () => {
  const page = await fetch(`${gateway.service.url}/docs`);
  const html = await page.text();
  expect(page.status).toBe(200);
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const loaded = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address);
  const types: Record<string, string | null> = {};
  for (const address of loaded.filter((one) => one !== 'data:,')) {
    const url = new URL(address, page.url);
    expect(url.origin).toBe(gateway.service.url);
    const answer = await fetch(url);
    expect([address, answer.status, (await answer.text()).length > 100]).toEqual([address, 200, true]);
    types[address] = answer.headers.get('content-type');
  }
  expect(types).toEqual({
    'docs/swagger-ui.css': 'text/css; charset=utf-8',
    'docs/swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
    'docs/start.js': 'text/javascript; charset=utf-8',
    'openapi.yaml': 'application/yaml; charset=utf-8',
  });
  expect(page.headers.get('content-security-policy')).toBe(POLICY);
  expect(page.headers.get('x-content-type-options')).toBe('nosniff');
  // The page itself contains no script and no style: the policy would not run them.
  expect(html).not.toMatch(/<script>|<style|style=| on[a-z]+=/);
});

test('a browser shows every operation on it, and has nothing to complain about', async () => {
  const profile = await mkdtemp(join(tmpdir(), 'docs-page-'));
  const flags = [
    ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--enable-logging=stderr'],
    ...['--virtual-time-budget=20000', '--dump-dom', `--user-data-dir=${profile}`],
  ];
  try {
    const { stdout, stderr } = await promisify(execFile)(
      await findChromium(),
      [...flags, `${gateway.service.url}/docs`],
      {
        maxBuffer: 64 * 1_048_576,
        timeout: 100_000,
      },
    );
    const { body } = await gateway.call(undefined, 'GET /openapi.json');
    for (const path of Object.keys(body['paths'] as object)) expect(stdout).toContain(`data-path="${path}"`);
    expect(stderr.split('\n').filter((line) => line.includes('CONSOLE'))).toEqual([]);
  } finally {
    await rm(profile, { recursive: true, force: true });
  }
});
