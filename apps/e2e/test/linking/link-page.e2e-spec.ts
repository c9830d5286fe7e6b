/// <reference lib="dom" />
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { temporaryDirectory, waitFor } from '@svc/testing';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { createSession, createTenant, inventPhone, type NewTenant } from '../../src/stack/actor.js';
import type { Stack } from '../../src/stack/stack.js';
import { stackOfRun } from '../stage/stage.js';

// A person with a real browser, from the address of the link page to the linked number. The platform's own page is answered by the test.
const HELPER = join(import.meta.dirname, '../../../link-helper');
const LIMIT_MS = 60_000;
/** A tab behind another one draws nothing: it is looked at from time to time. */
const POLL_MS = 200;
const PLATFORM = 'https://web.whatsapp.com/';

interface PasskeyKey {
  credentialId: string;
  userHandle: string;
  privateKey: string;
}

let stack: Stack;
let tenant: NewTenant;
let browser: Browser;
let helper: Page;
let platform: Page;

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

beforeAll(async () => {
  stack = await stackOfRun();
  tenant = await createTenant(stack);
  await stack.operator('tenants', 'confirm-name', tenant.tenantId, '--name', 'Acme Flowers');
  browser = await puppeteer.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    ...{ enableExtensions: true, pipe: true },
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--lang=en'],
  });
  platform = await browser.newPage();
  await platform.setRequestInterception(true);
  platform.on('request', (request) => {
    const body = '<!doctype html><html lang="en"><title>Platform</title><h1>Platform</h1></html>';
    void request.respond({ status: 200, contentType: 'text/html', body });
  });
  await platform.goto(PLATFORM);
  const helperId = await browser.installExtension(allowedHelper());
  helper = await browser.newPage();
  await helper.goto(`chrome-extension://${helperId}/helper.html`);
}, LIMIT_MS);
afterAll(() => browser.close());

/** Gives the browser the passkey of an account. */
async function addPasskey(phone: string): Promise<void> {
  const key = await stack.platform<PasskeyKey>('GET', `/accounts/${phone}/passkey/key`);
  const cdp = await platform.createCDPSession();
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
  await cdp.send('WebAuthn.addCredential', {
    authenticatorId,
    credential: { ...key, isResidentCredential: true, rpId: 'whatsapp.com', signCount: 1 },
  });
}

const says = (where: Page, words: string): Promise<unknown> =>
  where.waitForFunction(
    (text) => document.body.innerText.includes(text),
    { timeout: LIMIT_MS, polling: POLL_MS },
    words,
  );
const press = (where: Page, name: string): Promise<void> =>
  where.locator(`::-p-aria([name="${name}"][role="button"])`).setTimeout(LIMIT_MS).click();

/** Scans the code of a session, which asks for the passkey. */
async function scan(sessionId: string, phone: string): Promise<void> {
  await waitFor(
    'the scan',
    async () => {
      const { status, body } = await stack.api<{ qr: string }>(
        tenant.apiKey,
        'GET',
        `/v1/sessions/${sessionId}/qr`,
      );
      if (status !== 200) return false;
      const scanned = stack.platform('POST', `/accounts/${phone}/scan`, { qr: body.qr });
      return scanned.then(
        () => false,
        (error: unknown) => String(error).includes('PASSKEY_REQUIRED'),
      );
    },
    LIMIT_MS,
  );
}

test('a number is linked on the page, with the passkey of its account, and tells itself so', async () => {
  const phone = inventPhone();
  await stack.platform('PUT', `/accounts/${phone}/linking`, { passkey: 'always' });
  const sessionId = await createSession(stack, tenant.apiKey);
  const { body } = await stack.api<{ address: string }>(
    tenant.apiKey,
    'POST',
    `/v1/sessions/${sessionId}/link-page`,
    {},
  );
  const page = await browser.newPage();
  await page.goto(body.address);
  await says(page, 'Link your number to Acme Flowers');
  await page.locator('#agree').click();
  await press(page, 'Link my number');
  await page.waitForSelector('.scan svg path', { timeout: LIMIT_MS });
  await scan(sessionId, phone);
  await says(page, 'Your account wants its passkey');
  await press(page, 'Use the helper');
  const shown = await page.waitForSelector('#helper', { timeout: LIMIT_MS });
  const address = await shown?.evaluate((input) => (input as HTMLInputElement).value);
  await addPasskey(phone);
  await helper.bringToFront();
  await helper.locator('#address').fill(String(address));
  await helper.locator('button').click();
  await says(helper, 'Done');
  await page.bringToFront();
  await says(page, 'Does your phone show this code?');
  const code = await page.$eval('.code', (element) => element.textContent);
  expect(await stack.platform('GET', `/accounts/${phone}/passkey`)).toMatchObject({ code });
  await press(page, 'Yes, it is the same');
  await stack.platform('POST', `/accounts/${phone}/passkey/confirm`, { code: code ?? '' });
  await says(page, 'Your number is linked');
  await waitFor(
    'the message of the number to itself',
    async () => {
      const path = `/contacts/${phone}/messages?from=${phone}`;
      const inbox = await stack.platform<{ items: { text: string | null }[] }>('GET', path);
      return inbox.items.some(({ text }) => text?.includes('Acme Flowers'));
    },
    LIMIT_MS,
  );
}, 240_000);
