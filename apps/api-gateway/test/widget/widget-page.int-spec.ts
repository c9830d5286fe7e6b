/// <reference lib="dom" />
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import puppeteer, { type Browser, type ElementHandle, type Page } from 'puppeteer-core';
import { findChromium } from '../support/chromium.js';
import { gateway, tenant, withGateway } from '../support/gateway.js';

// A real browser, and a page on another origin with the strictest policy that a page with the widget can have.
withGateway();

const LIMIT_MS = 60_000;
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

let browser: Browser;
let host: Server;
let origin: string;
let widgetId: string;
let page: Page;
let problems: string[];

const policy = (): string =>
  `default-src 'none'; script-src ${gateway.service.url}; connect-src ${gateway.service.url}`;

beforeAll(async () => {
  browser = await puppeteer.launch({
    executablePath: await findChromium(),
    // A container has neither a sandbox of the kernel nor much shared memory.
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  host = createServer((request, response) => {
    const src = `${gateway.service.url}/v1/public/widget/${widgetId}/widget.js`;
    response.setHeader('content-type', 'text/html; charset=utf-8');
    if (request.url !== '/open') response.setHeader('content-security-policy', policy());
    response.end(
      `<!doctype html><html lang="en"><title>Shop</title><main><h1>Shop</h1><a href="#x">first</a></main><script async src="${src}"></script></html>`,
    );
  });
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
  const { id: sessionId } = gateway.fakes.addSession(tenant.tenantId, { phone: '+4915112345678' });
  const body = {
    sessionId,
    title: 'Questions?',
    greeting: 'We answer within minutes.',
    prefilledText: 'Hello',
  };
  const made = await gateway.call(tenant.apiKey, 'POST /v1/widgets', { ...body, allowedOrigins: [origin] });
  widgetId = String(made.body['id']);
}, LIMIT_MS);
afterAll(async () => {
  await browser.close();
  await new Promise((resolve) => host.close(resolve));
});

beforeEach(async () => {
  page = await browser.newPage();
  problems = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  await page.exposeFunction('noteViolation', (what: string) => problems.push(what));
  await page.evaluateOnNewDocument(() => {
    document.addEventListener('securitypolicyviolation', (event) =>
      (globalThis as unknown as { noteViolation(what: string): void }).noteViolation(
        `${event.violatedDirective} ${event.blockedURI}`,
      ),
    );
  });
});
afterEach(() => page.close());

/** Waits for an element inside the widget. */
async function part(selector: string): Promise<ElementHandle<HTMLElement>> {
  const handle = await page.waitForSelector(`>>> ${selector}`, { timeout: LIMIT_MS });
  return handle as ElementHandle<HTMLElement>;
}
const isOpen = async (): Promise<boolean> =>
  (await part('.open')).evaluate((button) => button.ariaExpanded === 'true');
/** Reads the element inside the widget that has the focus. */
const focused = (): Promise<string | undefined> =>
  page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.className);

describe('a page with the widget', () => {
  test('shows it under a strict policy, with no violation, error or cookie', async () => {
    await page.goto(origin);
    await (await part('.open')).click();
    const link = await part('.link');
    expect(await link.evaluate((a) => a.getAttribute('href'))).toBe('https://wa.me/4915112345678?text=Hello');
    expect(await link.isVisible()).toBe(true);
    expect(await (await part('.scan svg')).evaluate((svg) => svg.getBoundingClientRect().width)).toBe(150);
    const style = await (await part('.open')).evaluate((button) => getComputedStyle(button).backgroundColor);
    expect(style).toBe('rgb(11, 122, 92)'); // the policy allowed its style sheet
    expect(await browser.defaultBrowserContext().cookies()).toEqual([]);
    expect(await page.evaluate(() => localStorage.length + sessionStorage.length)).toBe(0);
    expect(problems).toEqual([]);
  }, 120_000);

  test('opens, is walked through and closes with the keyboard alone', async () => {
    await page.goto(origin);
    await part('.open');
    expect(await isOpen()).toBe(false);
    await page.keyboard.press('Tab'); // the page's own link
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('open');
    await page.keyboard.press('Enter');
    expect([await isOpen(), await focused()]).toEqual([true, 'link']);
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('close');
    await page.keyboard.press('Escape');
    expect([await isOpen(), await focused()]).toEqual([false, 'open']);
    await page.keyboard.press('Space');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect([await isOpen(), await focused()]).toEqual([false, 'open']);
  }, 120_000);

  test('can be used with a screen reader, closed and open', async () => {
    await page.goto(`${origin}/open`); // the checker is a script of its own, which the policy would keep out
    const button = await part('.open');
    await page.addScriptTag({ path: AXE });
    const violations = (): Promise<unknown> =>
      page.evaluate(async () => {
        const { axe } = globalThis as unknown as {
          axe: { run(): Promise<{ violations: { id: string; nodes: object[] }[] }> };
        };
        return (await axe.run()).violations.map(({ id, nodes }) => [id, JSON.stringify(nodes)]);
      });
    expect(await violations()).toEqual([]);
    await button.click();
    await (
      await part('.window')
    ).evaluate((dialog) => Promise.all(dialog.getAnimations().map(({ finished }) => finished)));
    expect(await violations()).toEqual([]);
  }, 120_000);

  test('of an origin that the tenant did not name shows nothing, and goes on undisturbed', async () => {
    const { port } = new URL(origin);
    const answered = page.waitForResponse((response) => response.url().endsWith('/config'), {
      timeout: LIMIT_MS,
    });
    await page.goto(`http://localhost:${port}/open`);
    await answered.catch(() => undefined);
    expect(await page.evaluate(() => [...document.body.children].map(({ tagName }) => tagName))).toEqual([
      'MAIN',
      'SCRIPT',
    ]);
    expect(problems).toEqual([]);
  }, 120_000);
});
