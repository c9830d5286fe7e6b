/// <reference lib="dom" />
import { createRequire } from 'node:module';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import puppeteer, { type Browser, type BrowserContext, type Page } from 'puppeteer-core';
import { findChromium } from '../support/chromium.js';
import { gateway, withGateway } from '../support/gateway.js';
import { confirmName, help, tokenFor, unlinked } from './links.js';

// A real browser, as the customer of a tenant has it.
withGateway();

const LIMIT_MS = 60_000;
/** A tab behind another one draws nothing: it is looked at from time to time. */
const POLL_MS = 200;
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

let browser: Browser;
let person: BrowserContext;
let page: Page;
let problems: string[];
let id: string;
let address: string;

beforeAll(async () => {
  await confirmName();
  browser = await puppeteer.launch({
    executablePath: await findChromium(),
    // A container has neither a sandbox of the kernel nor much shared memory.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--lang=en'],
  });
}, LIMIT_MS);
afterAll(() => browser.close());

/** Opens the address in a new tab. */
async function tab(context: BrowserContext = person): Promise<Page> {
  const opened = await context.newPage();
  opened.on('pageerror', (error) => problems.push(String(error)));
  await opened.exposeFunction('noteViolation', (what: string) => problems.push(what));
  await opened.evaluateOnNewDocument(() => {
    document.addEventListener('securitypolicyviolation', (event) =>
      (globalThis as unknown as { noteViolation(what: string): void }).noteViolation(
        `${event.violatedDirective} ${event.blockedURI}`,
      ),
    );
  });
  await opened.setExtraHTTPHeaders({ 'accept-language': 'en' });
  await opened.goto(address);
  return opened;
}

beforeEach(async () => {
  problems = [];
  ({ id } = unlinked());
  address = `${gateway.service.url}/link/${await tokenFor(id, { returnUrl: 'https://www.example.com/done' })}`;
  person = await browser.createBrowserContext();
  page = await tab();
});

const bring = (change: object): void =>
  void Object.assign(gateway.fakes.sessions.get(id)?.state ?? {}, change);
/** Waits until a tab says something. */
const says = (words: string, where: Page = page): Promise<unknown> =>
  where.waitForFunction(
    (text) => document.body.innerText.includes(text),
    { timeout: LIMIT_MS, polling: POLL_MS },
    words,
  );
const press = (name: string, where: Page = page): Promise<void> =>
  where.locator(`::-p-aria([name="${name}"][role="button"])`).setTimeout(LIMIT_MS).click();

/** Agrees to what the page says. */
async function agree(where: Page = page): Promise<void> {
  await where.locator('#agree').setTimeout(LIMIT_MS).click();
  await press('Link my number', where);
}

async function challenged(): Promise<void> {
  await agree();
  bring({ status: 'PASSKEY_REQUIRED' });
  gateway.fakes.linking.bring(id, 'challenge');
  await says('Your account wants its passkey');
}

/** Uses the helper, with the address that the page shows. */
async function useHelper(where: Page = page): Promise<void> {
  await where.bringToFront();
  await press('Use the helper', where);
  const shown = await where.waitForSelector('#helper', { timeout: LIMIT_MS });
  const value = await shown?.evaluate((input) => (input as HTMLInputElement).value);
  expect(value).toMatch(/\/passkey\/[\w-]{43}$/);
  expect((await help(String(value).slice(-43))).status).toBe(204);
}

const violations = (where: Page): Promise<unknown> =>
  where.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: object[] }[] }> };
    };
    return (await axe.run()).violations.map(({ id: rule, nodes }) => [rule, JSON.stringify(nodes)]);
  });

describe('somebody who was sent a link', () => {
  test('reads who will read and write, agrees, scans, and goes on where the tenant wants', async () => {
    await says('Link your number to Acme Flowers');
    await says('Test Messaging, which runs the service');
    await says('How to end it');
    await agree();
    await page.waitForSelector('.scan svg path', { timeout: LIMIT_MS });
    bring({ status: 'CONNECTED', phone: '+4915112345678' });
    await says('Your number is linked');
    await says('…678');
    expect(await page.$eval('a.go', (a) => a.getAttribute('href'))).toBe('https://www.example.com/done');
    expect(await person.cookies()).toEqual([]);
    expect(problems).toEqual([]);
  }, 120_000);

  test('is shown nothing to scan before they agree', async () => {
    await says('I have read this');
    await press('Link my number');
    expect(await page.$('.scan')).toBeNull();
    expect(gateway.fakes.wishes.filter(({ sessionId }) => sessionId === id)).toEqual([]);
  }, 120_000);

  test('who is on that very phone gets a code to type, which another QR code does not take away', async () => {
    await agree();
    await page.locator('#phone').setTimeout(LIMIT_MS).fill('+49 1511 234');
    const before = await page.$eval('.scan path', (path) => path.getAttribute('d'));
    gateway.fakes.qr = '2@another,one,of,all';
    await page.waitForFunction(
      (drawn) => document.querySelector('.scan path')?.getAttribute('d') !== drawn,
      { timeout: LIMIT_MS, polling: POLL_MS },
      before,
    );
    expect(await page.$eval('#phone', (input) => (input as HTMLInputElement).value)).toBe('+49 1511 234');
    await page.locator('#phone').fill('+49 1511 2345678');
    await press('Show a code');
    await says('ABCD2345');
    gateway.fakes.linking.typedCode = 'WXYZ6789';
    await says('WXYZ6789');
    gateway.fakes.linking.typedCode = 'ABCD2345';
  }, 120_000);

  test('whose account wants a passkey is led through it', async () => {
    await challenged();
    await says('tells you where to get the helper');
    await useHelper();
    await says('Go on with your phone');
    gateway.fakes.linking.bring(id, 'compare');
    await says('ABCD-2345');
    await press('Yes, it is the same');
    await says('Confirm on your phone, too');
    bring({ status: 'CONNECTED', phone: '+4915112345678' });
    await says('Your number is linked');
    expect(problems).toEqual([]);
  }, 120_000);

  test.each([
    ['EXPIRED', 'the time was over'],
    ['PHONE_SILENT', 'your phone did not go on'],
    ['CONNECTION_LOST', 'the connection was lost'],
    ['REFUSED', 'the platform has refused'],
  ] as const)(
    'reads why a passkey came to nothing (%s), and can try again',
    async (reason, words) => {
      await challenged();
      gateway.fakes.linking.end(id, reason);
      bring({ status: 'AWAITING_SCAN' });
      await says(words);
      await page.waitForSelector('.scan svg path', { timeout: LIMIT_MS });
      bring({ status: 'CONNECTED', phone: '+4915112345678' });
      await says('Your number is linked');
    },
    120_000,
  );

  test('reads that the connection was lost where the worker is gone that knew of the passkey', async () => {
    await challenged();
    gateway.fakes.linking.forget(id);
    bring({ status: 'CONNECTING' });
    await says('a code is on its way');
    expect(await page.$('.problem')).toBeNull();
    bring({ status: 'AWAITING_SCAN' });
    await says('the connection was lost');
    await page.waitForSelector('.scan svg path', { timeout: LIMIT_MS });
  }, 120_000);

  test('who sees another code on the phone stops, and can try again', async () => {
    await challenged();
    gateway.fakes.linking.bring(id, 'compare');
    await says('Does your phone show this code?');
    await press('No, stop');
    bring({ status: 'AWAITING_SCAN' });
    await says('it was stopped');
    await page.waitForSelector('.scan svg path', { timeout: LIMIT_MS });
  }, 120_000);

  test('sees the same in a second tab, where a step that was taken is not taken again', async () => {
    await challenged();
    const second = await tab();
    await says('Your account wants its passkey', second);
    await useHelper();
    await says('Go on with your phone');
    await says('Go on with your phone', second);
  }, 120_000);

  test('goes on in a second tab that was open before they agreed in the first', async () => {
    const second = await tab();
    await says('I have read this', second);
    await page.bringToFront();
    await agree();
    await page.waitForSelector('.scan', { timeout: LIMIT_MS });
    await second.bringToFront();
    await second.waitForSelector('.scan', { timeout: LIMIT_MS });
    await page.reload();
    await page.waitForSelector('.scan', { timeout: LIMIT_MS });
  }, 120_000);

  test('goes on after the tab was closed', async () => {
    await challenged();
    await page.close();
    await says('Your account wants its passkey', await tab());
  }, 120_000);

  test('is told when another browser has the link already', async () => {
    await agree();
    await page.waitForSelector('.scan', { timeout: LIMIT_MS });
    const other = await tab(await browser.createBrowserContext());
    await says('opened in another browser', other);
    expect(await other.$('#agree')).toBeNull();
  }, 120_000);

  test('is told when its time is over', async () => {
    await agree();
    await page.waitForSelector('.scan', { timeout: LIMIT_MS });
    await gateway.service.database.query('UPDATE gateway.single_use_link SET expires_at = clock_timestamp()');
    await says('The time of this link is over');
    expect(await page.evaluate(() => localStorage.length)).toBe(0);
  }, 120_000);
});

test('the page can be used with a screen reader, at each step', async () => {
  await page.setBypassCSP(true); // the checker is a script of its own, which the policy would keep out
  await page.reload();
  await page.addScriptTag({ path: AXE });
  await says('Link your number');
  expect(await violations(page)).toEqual([]);
  await agree();
  await page.waitForSelector('.scan svg', { timeout: LIMIT_MS });
  expect(await violations(page)).toEqual([]);
  bring({ status: 'PASSKEY_REQUIRED' });
  gateway.fakes.linking.bring(id, 'challenge');
  await says('Your account wants its passkey');
  expect(await violations(page)).toEqual([]);
  gateway.fakes.linking.bring(id, 'compare');
  await says('Compare the codes');
  expect(await violations(page)).toEqual([]);
}, 180_000);

test('the page is the same for every token, in no frame and in no cache', async () => {
  const answers = await Promise.all([fetch(address), fetch(`${gateway.service.url}/link/${'x'.repeat(43)}`)]);
  const [one, other] = await Promise.all(answers.map((answer) => answer.text()));
  expect(one).toBe(other);
  const { headers } = answers[0] as Response;
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('referrer-policy')).toBe('no-referrer');
  expect(headers.get('content-security-policy')).toContain(`frame-ancestors 'none'`);
});
