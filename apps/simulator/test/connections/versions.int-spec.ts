import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type PhoneClient, until } from '../support/phone-client.js';
import { Stack } from '../support/stack.js';

const ACCOUNT = '4915550017000';
const OLD = 1_043_857_760;
const NEW = 1_050_000_000;
const version = (revision: number) => ({ version: [2, 3000, revision] });
const BROWSER = { 'sec-fetch-site': 'none', 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)' };

describe('versions of clients', () => {
  let stack: Stack;
  let client: PhoneClient;
  const versions = (body: object) => stack.put('/versions', body);
  const faults = (body: object) => stack.put(`/accounts/${ACCOUNT}/faults`, body);
  /** Reads the attributes with which the last login was refused. */
  const refusal = () => client.frames.filter(({ tag }) => tag === 'failure').at(-1)?.attrs;

  beforeAll(async () => {
    stack = await Stack.start();
    client = await stack.linked(ACCOUNT, version(OLD));
  });
  afterEach(async () => {
    await stack.call('DELETE', '/versions');
    await stack.call('DELETE', `/accounts/${ACCOUNT}/faults`);
  });
  afterAll(() => stack.close());

  /** Connects the client anew, and returns the code with which it ends. */
  const endOf = async (revision: number): Promise<number> => {
    await client.stop();
    return client.connect(version(revision)).closed();
  };

  test('a login below the floor is refused with 405 and the site that refuses, one at it is not', async () => {
    await versions({ loginFloor: NEW, location: 'lla' });
    expect(await endOf(NEW - 1)).toBe(405);
    expect(refusal()).toEqual({ reason: '405', location: 'lla' });
    await client.connect(version(NEW)).opened();
  });

  test('a floor concerns its share of the accounts', async () => {
    await versions({ loginFloor: NEW, share: 0 });
    await client.stop();
    await client.connect(version(OLD)).opened();
  });

  test('a floor may be that of one account', async () => {
    await faults({ loginFloor: NEW });
    expect(await endOf(OLD)).toBe(405);
    await faults({ loginFloor: null });
    await client.connect(version(OLD)).opened();
  });

  test('a floor may rise in the course of a scenario', async () => {
    const steps = [
      { action: 'faults', phone: ACCOUNT, body: { loginFloor: NEW } },
      { action: 'disconnect', phone: ACCOUNT, body: { mode: 'drop' }, afterMs: 200 },
    ];
    await stack.post('/scenarios', { steps });
    await client.closed();
    expect(await endOf(OLD)).toBe(405);
    await faults({ loginFloor: null });
    await client.connect(version(OLD)).opened();
  });

  test('a revision may be refused that is above the floor', async () => {
    await versions({ refusedRevisions: [NEW] });
    expect(await endOf(NEW)).toBe(405);
    await client.connect(version(NEW - 1)).opened();
  });

  test('a revision may be logged in otherwise than its client knows, and stays connected without a login', async () => {
    await versions({ changedLogins: [NEW] });
    await client.stop();
    client.connect(version(NEW));
    const isAnswered = () => client.frames.some(({ tag }) => tag === 'success_v2');
    await until(isAnswered, 'the answer that it does not know');
    expect(client.state.connection).not.toBe('open');
    await client.stop();
    await client.connect(version(NEW - 1)).opened();
  });

  test('a client that asks for a link is refused below the floor, too', async () => {
    await versions({ loginFloor: NEW });
    const other = stack.client().connect(version(OLD));
    expect(await other.closed()).toBe(405);
    expect(other.qr).toBeUndefined();
  });

  test('below the floor for linking a code is shown, and the phone refuses it unheard', async () => {
    await versions({ linkingFloor: NEW });
    const other = stack.client().connect(version(OLD));
    const qr = await until(() => other.qr, 'the QR code');
    const scan = await stack.post<{ code: string }>('/accounts/4915550017001/scan', { qr });
    expect([scan.status, scan.body.code]).toEqual([422, 'LINK_REFUSED']);
    expect(other.frames.map(({ tag }) => tag)).not.toContain('failure');
    expect(other.state.connection).not.toBe('close');
  });

  test('a temporary ban names its end, one for good has none', async () => {
    await faults({ loginError: 402, loginExpire: 3_600 });
    expect(await endOf(OLD)).toBe(402);
    expect(refusal()).toEqual({ reason: '402', location: 'sim', code: '101', expire: '3600' });
    await faults({ loginError: 406, loginExpire: null });
    expect(await endOf(OLD)).toBe(406);
    expect(refusal()).toEqual({ reason: '406', location: 'sim' });
  });

  describe('are named by two pages', () => {
    const read = (path: string, headers: Record<string, string> = BROWSER, signal?: AbortSignal) =>
      fetch(stack.simulator.websocket.replace('ws:', 'http:').replace('/ws/chat', path), { headers, signal });

    test('the service worker, as JSON within a string, and the first page', async () => {
      await versions({ swRevision: NEW, pageRevision: 9_999_999_999 });
      expect(await (await read('/sw.js')).text()).toContain(`\\"client_revision\\":${NEW}`);
      expect(await (await read('/')).text()).toContain('"client_revision":9999999999,');
      expect((await stack.get<{ reads: object }>('/versions')).body.reads).toEqual({ sw: 1, page: 1 });
    });

    test.each([
      [{ 'user-agent': BROWSER['user-agent'] }],
      [{ 'sec-fetch-site': 'none', 'user-agent': 'curl/8' }],
    ])('which answer 400 to %j', async (headers) => {
      expect((await read('/sw.js', headers as Record<string, string>)).status).toBe(400);
    });

    test('which may be garbage, hang, or have no end', async () => {
      await versions({ swAnswer: 'garbage', pageAnswer: 'hanging' });
      expect(await (await read('/sw.js')).text()).not.toMatch(/client_revision\D{1,4}\d/);
      await expect(read('/', BROWSER, AbortSignal.timeout(300))).rejects.toThrow(/timeout/i);
      await versions({ pageAnswer: 'endless' });
      const reader = (await read('/')).body?.getReader();
      let bytes = 0;
      while (bytes < 10_000_000) bytes += (await reader?.read())?.value?.length ?? NaN;
      await reader?.cancel();
      expect(bytes).toBeGreaterThanOrEqual(10_000_000);
    });
  });
});
