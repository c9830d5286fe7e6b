import { afterEach, describe, expect, test } from '@jest/globals';
import { encodeAccount, encodeOperator, encodeUser, fmtCreds } from '@nats-io/jwt';
import { createAccount, createOperator, createUser } from '@nats-io/nkeys';
import { GetTiers } from '@svc/contracts';
import { authorityFromSeed, selfSigned } from '@svc/certificates';
import { startTestNats, temporaryDirectory, type TestNats, waitFor } from '@svc/test-servers';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Messaging, type NatsAccess, RpcClient } from '../src/index.js';
import { aSentEvent } from './small-service.js';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function serve(config?: string): Promise<TestNats> {
  const nats = await startTestNats(config);
  closing.push(() => nats.stop());
  return nats;
}

async function connect(access: NatsAccess): Promise<Messaging> {
  const messaging = await Messaging.connect({ ...access, name: 'shop' });
  closing.push(() => messaging.onApplicationShutdown());
  return messaging;
}

const password = randomBytes(12).toString('hex');
const withUser = `authorization { users = [{ user: shop, password: "${password}" }] }`;

/** Makes an authority, a server certificate for localhost and a client's, all for one day. */
function certificates(): { ca: string; server: string; client: { certificate: string; key: string } } {
  const until = new Date(Date.now() + 86_400_000);
  const hosts = ['localhost'];
  const identity = { name: 'test', seed: randomBytes(32), hosts };
  const authority = authorityFromSeed(identity, { from: new Date(0), until });
  const server = authority.issue({ name: 'nats', seed: randomBytes(32), hosts });
  const client = selfSigned('shop');
  const folder = temporaryDirectory('certificates');
  const file = (name: string, pem: string): string => {
    writeFileSync(join(folder, name), pem);
    return join(folder, name);
  };
  const text = `cert_file: "${file('cert', server.cert)}", key_file: "${file('key', server.key)}", ca_file: "${file('ca', client.cert)}"`;
  return { ca: authority.cert, server: text, client: { certificate: client.cert, key: client.key } };
}

const byName = ({ url }: TestNats, scheme = 'tls'): string =>
  url.replace('nats://127.0.0.1', `${scheme}://localhost`);

describe('NATS lets in', () => {
  test('who shows the user and its password', async () => {
    const { url } = await serve(withUser);
    const messaging = await connect({ url, user: 'shop', password });
    await messaging.publishEvent(aSentEvent());
  });

  test('nobody who shows no user, or another password: the start says so at once', async () => {
    const { url } = await serve(withUser);
    await expect(connect({ url })).rejects.toThrow('Authorization Violation');
    await expect(connect({ url, user: 'shop', password: 'guessed' })).rejects.toThrow(
      'Authorization Violation',
    );
  });

  test('who shows a credentials file', async () => {
    const [operator, system, account, user] = [
      createOperator(),
      createAccount(),
      createAccount(),
      createUser(),
    ];
    const kinds = [
      'subs',
      'conn',
      'leaf',
      'data',
      'payload',
      'imports',
      'exports',
      'mem_storage',
      'disk_storage',
      'streams',
      'consumer',
    ];
    const limits = Object.fromEntries(kinds.map((kind) => [kind, -1])); // none

    const accounts = [
      [system, await encodeAccount('system', system, {}, { signer: operator })],
      [account, await encodeAccount('shops', account, { limits }, { signer: operator })],
    ] as const;
    const { url } = await serve(
      [
        `operator: ${await encodeOperator('operator', operator, { system_account: system.getPublicKey() })}`,
        `system_account: ${system.getPublicKey()}`,
        'resolver: MEMORY',
        `resolver_preload: { ${accounts.map(([key, text]) => `${key.getPublicKey()}: ${text}`).join(', ')} }`,
      ].join('\n'),
    );
    const token = await encodeUser('shop', user, account);
    const credentials = new TextDecoder().decode(fmtCreds(token, user));
    const messaging = await connect({ url, credentials });
    await messaging.publishEvent(aSentEvent());
    await expect(connect({ url })).rejects.toThrow('Authorization Violation');
  });

  test('who shows a certificate, where it asks for one', async () => {
    const { ca, server, client } = certificates();
    const nats = await serve(`tls { ${server}, verify: true }`);
    const messaging = await connect({ url: byName(nats), ca, ...client });
    await messaging.publishEvent(aSentEvent());
  });
});

describe('over TLS', () => {
  test('the server is believed whose authority is known', async () => {
    const { ca, server } = certificates();
    const nats = await serve(`tls { ${server} }`);
    const messaging = await connect({ url: byName(nats, 'nats'), ca });
    await messaging.publishEvent(aSentEvent());
  });

  test.each([
    ['tls', false],
    ['nats', true],
  ])(
    'an address with %s:// (authority known: %s) is not spoken to in plain text',
    async (scheme, isKnown) => {
      const nats = await serve();
      const access = { url: byName(nats, scheme), ...(isKnown ? { ca: certificates().ca } : {}) };
      const rpc = RpcClient.at(access, 'shop');
      const refusal = await rpc.request(GetTiers, { sessionIds: [] }).catch((error) => error as Error);
      expect(String((refusal as Error).cause)).toContain("server does not support 'tls'");
    },
  );
});

test('who has a list of servers goes on with the next when its own is gone', async () => {
  const servers = [await serve(), await serve()];
  const messaging = await connect({ url: servers.map(({ url }) => url).join(', ') });
  const reached = messaging.line.connection.getServer();
  const own = servers.find(({ url }) => url.endsWith(reached)) as TestNats;
  await own.kill();
  await waitFor(
    'the other server',
    () => messaging.isConnected() && messaging.line.connection.getServer() !== reached,
  );
});
