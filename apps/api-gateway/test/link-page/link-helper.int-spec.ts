/// <reference lib="dom" />
import { createHash, generateKeyPairSync, randomBytes, verify } from 'node:crypto';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { temporaryDirectory, waitFor } from '@svc/testing';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { findChromium } from '../support/chromium.js';
import { gateway, withGateway } from '../support/gateway.js';
import { confirmName, opened, page as ask, unlinked } from './links.js';

// The real extension in a real browser, with a software authenticator; the platform's page is answered by the test.
withGateway();

const HELPER = join(import.meta.dirname, '../../../link-helper');
const LIMIT_MS = 60_000;
/** A tab behind another one draws nothing: it is looked at from time to time. */
const POLL_MS = 200;
const PLATFORM = 'https://web.whatsapp.com/';
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

let browser: Browser;
let helper: Page;
let platform: Page;
let id: string;
let key: string;

/** Copies the helper, with leave to reach local gateways: nobody is there to answer the browser's question. */
function allowedHelper(): string {
  const folder = join(temporaryDirectory('helper'), 'helper');
  cpSync(HELPER, folder, { recursive: true });
  const file = join(folder, 'manifest.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as { host_permissions: string[] };
  manifest.host_permissions.push('http://127.0.0.1/*');
  writeFileSync(file, JSON.stringify(manifest));
  return folder;
}

async function addAuthenticator(page: Page): Promise<void> {
  const cdp = await page.createCDPSession();
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
  await cdp.send('WebAuthn.addCredential', {
    authenticatorId,
    credential: {
      ...{
        credentialId: randomBytes(16).toString('base64'),
        isResidentCredential: true,
        rpId: 'whatsapp.com',
      },
      privateKey: privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
      ...{ userHandle: randomBytes(16).toString('base64'), signCount: 1 },
    },
  });
}

beforeAll(async () => {
  await confirmName();
  ({ id } = unlinked('PASSKEY_REQUIRED'));
  key = await opened(id);
  browser = await puppeteer.launch({
    executablePath: await findChromium(),
    ...{ enableExtensions: true, pipe: true },
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  platform = await browser.newPage();
  await platform.setRequestInterception(true);
  platform.on('request', (request) => {
    const body = '<!doctype html><html lang="en"><title>Platform</title><h1>Platform</h1></html>';
    void request.respond({ status: 200, contentType: 'text/html', body });
  });
  await addAuthenticator(platform);
  await platform.goto(PLATFORM);
  const helperId = await browser.installExtension(allowedHelper());
  helper = await browser.newPage();
  await helper.goto(`chrome-extension://${helperId}/helper.html`);
}, LIMIT_MS);
afterAll(() => browser.close());

const says = (words: string): Promise<unknown> =>
  helper.waitForFunction(
    (text) => document.getElementById('state')?.textContent?.includes(text),
    { timeout: LIMIT_MS, polling: POLL_MS },
    words,
  );

async function give(address: string): Promise<void> {
  await helper.bringToFront();
  await helper.locator('#address').fill(address);
  await helper.locator('button').click();
}

async function addressOfHelper(): Promise<string> {
  const { body } = await ask('POST /passkey/helper', undefined, key);
  return `${gateway.service.url}/passkey/${String(body['token'])}`;
}

test('has the browser answer on the platform’s page, and hands the answer in, once', async () => {
  const challenge = randomBytes(32).toString('base64url');
  gateway.fakes.linking.bring(id, 'challenge', challenge);
  const address = await addressOfHelper();
  await give(address);
  await waitFor('the answer', () => gateway.fakes.linking.answers.length > 0, LIMIT_MS);
  await says('Done');
  const { response, type } = gateway.fakes.linking.answers[0]?.assertion ?? {};
  const clientData = Buffer.from(String(response?.clientDataJSON), 'base64url');
  expect(type).toBe('public-key');
  expect(JSON.parse(clientData.toString())).toMatchObject({
    ...{ type: 'webauthn.get', challenge, origin: 'https://web.whatsapp.com' },
  });
  const signed = Buffer.concat([
    Buffer.from(String(response?.authenticatorData), 'base64url'),
    createHash('sha256').update(clientData).digest(),
  ]);
  const signature = Buffer.from(String(response?.signature), 'base64url');
  expect(verify('sha256', signed, publicKey, signature)).toBe(true);
  await give(address);
  await says('was used');
}, 120_000);

test.each([
  ['nothing', 'not an address'],
  ['http://example.com/passkey/x', 'not an address'],
])(
  'takes no other address: %s',
  async (address, words) => {
    await give(address);
    await says(words);
  },
  120_000,
);

test('has no permission but the platform’s page', () => {
  const manifest = JSON.parse(readFileSync(join(HELPER, 'manifest.json'), 'utf8')) as Record<string, unknown>;
  expect(manifest['permissions']).toBeUndefined();
  expect(manifest['host_permissions']).toEqual(['https://web.whatsapp.com/*']);
});
