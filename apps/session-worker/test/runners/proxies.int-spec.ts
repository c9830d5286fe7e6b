import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CreateSession, UpdateSession } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { LONG_MS, Stage } from '../support.js';
import { httpTunnel, socksTunnel, type Tunnel } from '../tunnels.js';

let stage: Stage;
let tunnels: Record<'http' | 'socks5', Tunnel>;

beforeAll(async () => {
  tunnels = { http: await httpTunnel(), socks5: await socksTunnel() };
  stage = await Stage.start({ WEBHOOK_ALLOWED_ORIGINS: 'http://127.0.0.1:*' });
});
afterAll(async () => {
  await stage.stop();
  await Promise.all(Object.values(tunnels).map((tunnel) => tunnel.stop()));
});

async function create(proxy: string): Promise<string> {
  const sessionId = randomUUID();
  const request = { tenantId: stage.tenantId, sessionId, name: 'proxied', proxy };
  await stage.worker.rpc.request(CreateSession, request, LONG_MS);
  return sessionId;
}
const update = (sessionId: string, proxy: string | null) =>
  stage.worker.rpc.request(UpdateSession, { tenantId: stage.tenantId, sessionId, proxy }, LONG_MS);
const platform = (): string => new URL(stage.platform.websocket).host;

describe.each([
  ['http', '15550113001'],
  ['socks5', '15550113002'],
] as const)('a session with a proxy of %s', (scheme, phone) => {
  let sessionId: string;

  test('is linked and works through it, and nowhere shows its password', async () => {
    const tunnel = tunnels[scheme];
    sessionId = await create(tunnel.url);
    await stage.scan(sessionId, phone);
    expect(tunnel.opened.length).toBeGreaterThanOrEqual(2); // before and after the link
    expect(new Set(tunnel.opened)).toEqual(new Set([platform()]));
    const { proxy } = await stage.get(sessionId);
    expect(proxy).toBe(`${scheme}://127.0.0.1:${new URL(tunnel.url).port}`);
    const [row] = await stage.worker.database.query<{ proxy: Buffer }>(
      'SELECT proxy FROM sessions.session WHERE id = $1',
      [sessionId],
    );
    expect(row?.proxy.toString('latin1')).not.toContain('s3cret');
  });

  test('never goes another way when the proxy lets nobody through, says so, and works again without it', async () => {
    tunnels[scheme].refuse();
    await waitFor(
      'the reason',
      async () => (await stage.get(sessionId)).statusReason === 'PROXY_FAILED',
      LONG_MS,
    );
    const account = await stage.platform.call<{ devices: { online: boolean }[] }>(
      'GET',
      `/accounts/${phone}`,
    );
    expect(account.devices).toMatchObject([{ online: false }]);
    expect((await update(sessionId, null)).session.proxy).toBeNull();
    await stage.reached(sessionId, 'CONNECTED');
  });
});

test('a connected session changes over to a proxy at once', async () => {
  const tunnel = await httpTunnel();
  try {
    const sessionId = await stage.link('15550113003');
    await update(sessionId, tunnel.url);
    expect(await stage.firstLoss(sessionId)).toBe('PROXY_CHANGED');
    await stage.reached(sessionId, 'CONNECTED');
    expect(tunnel.opened).toEqual([platform()]);
  } finally {
    await tunnel.stop();
  }
});

test.each([
  ['ftp://127.0.0.1:2121', 'must be http://, https:// or socks5://'],
  ['socks5://127.0.0.1:1080/path', 'nothing behind the port'],
  ['http://10.0.0.1:3128', 'destination not allowed'],
  ['socks5://169.254.169.254:1080', 'destination not allowed'],
  ['socks5://0x7f.0.0.2:1080', 'destination not allowed'],
  ['https://metadata.internal', 'destination not allowed'],
  ['http://proxy.example.com:22', 'destination not allowed'],
])('%s is refused, naming the field', async (proxy, rule) => {
  const refused = create(proxy);
  await expect(refused).rejects.toMatchObject({
    code: 'VALIDATION_FAILED',
    message: expect.stringContaining(rule),
    meta: { fields: [{ field: 'proxy' }] },
  });
});
