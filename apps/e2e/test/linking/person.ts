/// <reference lib="dom" />
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '@svc/testing';
import puppeteer, { type Browser, type CDPSession, type Page } from 'puppeteer-core';
import { createSession, inventPhone } from '../../src/stack/actor.js';
import type { Stack } from '../../src/stack/stack.js';

const HELPER = join(import.meta.dirname, '../../../link-helper');
const PLATFORM = 'https://web.whatsapp.com/';
export const LIMIT_MS = 60_000;
/** A tab behind another one draws nothing: it is looked at from time to time. */
const POLL_MS = 200;
/** Words of the helper: the browser has refused, and it waits for the browser. */
const NOT_GIVEN = 'The passkey was not given';
const ASKED = 'The platform’s page opens';
const TRIES = 3;
/** A browser that refuses does so at once; a gateway may wait for a worker that is dead. */
const REFUSED_MS = 3_000;

interface PasskeyKey {
  credentialId: string;
  userHandle: string;
  privateKey: string;
}

/** Copies the helper, with leave to reach local gateways: nobody is there to answer the browser's question. */
function allowedHelper(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-helper-'));
  cpSync(HELPER, folder, { recursive: true });
  const file = join(folder, 'manifest.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as { host_permissions: string[] };
  manifest.host_permissions.push('http://127.0.0.1/*');
  writeFileSync(file, JSON.stringify(manifest));
  return folder;
}

/** Waits until a tab says something. */
export const says = (where: Page, words: string): Promise<unknown> =>
  where.waitForFunction(
    (text) => document.body.innerText.includes(text),
    { timeout: LIMIT_MS, polling: POLL_MS },
    words,
  );

/** Presses a button of a tab. @throws Error with what the tab shows instead. */
export async function press(where: Page, name: string): Promise<void> {
  try {
    await where.locator(`::-p-aria([name="${name}"][role="button"])`).setTimeout(LIMIT_MS).click();
  } catch (error) {
    const shown = await where.evaluate(() => document.body.innerText);
    throw new Error(`"${name}" cannot be pressed where the tab shows:\n${shown}`, { cause: error });
  }
}

/** A person with a browser, the helper in it and a passkey. The platform's own page is answered here. */
export class Person {
  private constructor(
    readonly browser: Browser,
    private readonly helper: Page,
    private readonly cdp: CDPSession,
    private readonly authenticatorId: string,
    private readonly folder: string,
  ) {}

  static async start(): Promise<Person> {
    const browser = await puppeteer.launch({
      executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
      ...{ enableExtensions: true, pipe: true },
      args: ['--no-sandbox', '--disable-dev-shm-usage', '--lang=en'],
    });
    const platform = await browser.newPage();
    await platform.setRequestInterception(true);
    platform.on('request', (request) => {
      const body = '<!doctype html><html lang="en"><title>Platform</title><h1>Platform</h1></html>';
      void request.respond({ status: 200, contentType: 'text/html', body });
    });
    await platform.goto(PLATFORM);
    const cdp = await platform.createCDPSession();
    await cdp.send('WebAuthn.enable');
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
        ...{ isUserVerified: true, automaticPresenceSimulation: true },
      },
    });
    const folder = allowedHelper();
    const helperId = await browser.installExtension(folder);
    const helper = await browser.newPage();
    await helper.goto(`chrome-extension://${helperId}/helper.html`);
    return new Person(browser, helper, cdp, authenticatorId, folder);
  }

  /** Takes the passkey of an account, in place of the one before. */
  async takePasskey(key: PasskeyKey): Promise<void> {
    const { authenticatorId } = this;
    await this.cdp.send('WebAuthn.clearCredentials', { authenticatorId });
    await this.cdp.send('WebAuthn.addCredential', {
      authenticatorId,
      credential: { ...key, isResidentCredential: true, rpId: 'whatsapp.com', signCount: 1 },
    });
  }

  /** Opens an address in another tab. */
  async open(address: string): Promise<Page> {
    const page = await this.browser.newPage();
    // The helper brings the platform's tab to the front: a tab behind another one is not drawn, nor can anything in it be pressed.
    await page.emulateFocusedPage(true);
    await page.goto(address);
    return page;
  }

  /** Pastes the address of a challenge into the helper, which has the browser answer it. @returns what the helper says after a while. */
  async help(address: string): Promise<string> {
    await this.helper.bringToFront();
    await this.helper.$eval('#state', (state) => (state.textContent = ''));
    await this.helper.locator('#address').fill(address);
    await this.helper.locator('button').click();
    const said = this.helper.waitForFunction(
      (asked) => {
        const text = document.getElementById('state')?.textContent ?? '';
        return text !== '' && !text.startsWith(asked) && text;
      },
      { timeout: REFUSED_MS, polling: POLL_MS },
      ASKED,
    );
    return said.then(
      async (text) => String(await text.jsonValue()),
      () => ASKED,
    );
  }

  async stop(): Promise<void> {
    await this.browser.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The link of one number by its page, whose account wants the passkey. */
export class PageLink {
  private constructor(
    private readonly stack: Stack,
    private readonly apiKey: string,
    private readonly person: Person,
    readonly sessionId: string,
    readonly phone: string,
    readonly address: string,
    public page: Page,
  ) {}

  /** Makes a session with a link page, which the person opens and agrees to. @param rules of the account, besides. */
  static async open(stack: Stack, apiKey: string, person: Person, rules: object = {}): Promise<PageLink> {
    const phone = inventPhone();
    await stack.platform('PUT', `/accounts/${phone}/linking`, { passkey: 'always', ...rules });
    await person.takePasskey(await stack.platform<PasskeyKey>('GET', `/accounts/${phone}/passkey/key`));
    const sessionId = await createSession(stack, apiKey);
    const { body } = await stack.api<{ address: string }>(
      apiKey,
      'POST',
      `/v1/sessions/${sessionId}/link-page`,
      {},
    );
    const page = await person.open(body.address);
    await says(page, 'Link your number to Acme Flowers');
    await page.locator('#agree').click();
    await press(page, 'Link my number');
    await page.waitForSelector('.scan svg path', { timeout: LIMIT_MS });
    return new PageLink(stack, apiKey, person, sessionId, phone, body.address, page);
  }

  /** Changes what the account wants of a device. */
  async wants(rules: object): Promise<void> {
    await this.stack.platform('PUT', `/accounts/${this.phone}/linking`, rules);
  }

  /** Scans the code of the session, which asks for the passkey. */
  async scan(): Promise<void> {
    await waitFor('the scan', () => this.isScanned(), LIMIT_MS);
  }

  /** Asks for a code to type and types it on the phone, which asks for the passkey. */
  async typeCode(): Promise<void> {
    await this.page.locator('#phone').setTimeout(LIMIT_MS).fill(`+${this.phone}`);
    await press(this.page, 'Show a code');
    const shown = await this.page.waitForSelector('.code:not(:empty)', { timeout: LIMIT_MS });
    const code = (await shown?.evaluate((element) => element.textContent)) ?? '';
    const typed = this.stack.platform('POST', `/accounts/${this.phone}/code`, { code });
    await typed.catch((error: unknown) => {
      if (!String(error).includes('PASSKEY_REQUIRED')) throw error;
    });
  }

  /** Gives the passkey by the helper, as often as that asks for it: a busy browser may refuse its own question. */
  async givePasskey(): Promise<void> {
    for (let tries = 1; tries <= TRIES; tries += 1) {
      await this.page.bringToFront();
      await press(this.page, 'Use the helper');
      const shown = await this.page.waitForSelector('#helper', { timeout: LIMIT_MS });
      const address = await shown?.evaluate((input) => (input as HTMLInputElement).value);
      if (!(await this.person.help(String(address))).startsWith(NOT_GIVEN)) return;
    }
    throw new Error('the browser did not give the passkey');
  }

  /** Reads the code that is to be compared. */
  async code(): Promise<string> {
    await this.page.bringToFront();
    await says(this.page, 'Does your phone show this code?');
    return (await this.page.$eval('.code', (element) => element.textContent)) ?? '';
  }

  /** Says on the page that the phone shows the same code. */
  confirm(): Promise<void> {
    return press(this.page, 'Yes, it is the same');
  }

  /** Says on the phone that the page shows this code. */
  async confirmOnPhone(code: string): Promise<void> {
    await this.stack.platform('POST', `/accounts/${this.phone}/passkey/confirm`, { code });
  }

  /** Does all that a person does from the code to scan, or to type, to the linked number. */
  async finish(begin = (): Promise<void> => this.scan()): Promise<void> {
    await begin();
    await says(this.page, 'Your account wants its passkey');
    await this.givePasskey();
    const code = await this.code();
    await this.confirm();
    await this.confirmOnPhone(code);
    await says(this.page, 'Your number is linked');
  }

  private async isScanned(): Promise<boolean> {
    const path = `/v1/sessions/${this.sessionId}/qr`;
    const { status, body } = await this.stack.api<{ qr: string }>(this.apiKey, 'GET', path);
    if (status !== 200) return false;
    const scanned = this.stack.platform('POST', `/accounts/${this.phone}/scan`, { qr: body.qr });
    return scanned.then(
      () => false,
      (error: unknown) => String(error).includes('PASSKEY_REQUIRED'),
    );
  }
}
