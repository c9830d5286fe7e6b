import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { CreateSession } from '@svc/contracts';
import { headerOf, secretKey } from '@svc/service';
import { waitFor } from '@svc/testing';
import { LONG_MS, type Stage } from '../support.js';
import { WorkerProcess } from '../worker-process.js';

const phone = '15550104900';
const contact = '15550204900';
const SEALED_SQL = `SELECT encode(sealed, 'hex') AS sealed FROM sessions.credential
  UNION ALL SELECT encode(sealed, 'hex') FROM sessions.signal_key
  UNION ALL SELECT encode(proxy, 'hex') FROM sessions.session WHERE proxy IS NOT NULL`;

let stage: Stage;
let worker: WorkerProcess;
beforeAll(async () => {
  ({ stage, worker } = await WorkerProcess.stage({ WEBHOOK_ALLOWED_ORIGINS: 'http://127.0.0.1:*' }));
});
afterAll(() => stage.stop());

/** Waits until everything is sealed with a key. @returns how many values there are. */
function sealedWith(key: string): Promise<number> {
  const header = headerOf(secretKey(key)).toString('hex');
  return waitFor(
    'everything to be sealed with the key',
    async () => {
      const rows = await stage.worker.database.query<{ sealed: string }>(SEALED_SQL);
      return rows.every(({ sealed }) => sealed.startsWith(header)) && rows.length;
    },
    LONG_MS,
  );
}

test('CREDENTIALS_KEY is changed, and the one before goes: nobody is linked anew, proxies stay, messages come and go', async () => {
  const sessionId = await stage.link(phone);
  const proxied = { tenantId: stage.tenantId, sessionId: randomUUID(), name: 'proxied' };
  await stage.worker.rpc.request(CreateSession, { ...proxied, proxy: 'http://ada:s3cret@127.0.0.1:9999' });
  const talk = async (text: string): Promise<void> => {
    await stage.reached(sessionId, 'CONNECTED');
    await stage.platform.call('POST', `/contacts/${contact}/messages`, { to: phone, text });
    const heard = () => stage.eventsOf('message.received', sessionId).map(({ body }) => body);
    await waitFor(text, () => heard().some((body) => (body as { text: string }).text === text), LONG_MS);
    await stage.event('message.delivered', await stage.send(sessionId, contact, `${text}, too`));
  };
  await stage.platform.call('POST', '/contacts', { phone: contact });
  await talk('before');

  const next = randomBytes(32).toString('base64');
  await worker.changeKey('CREDENTIALS_KEY', next);
  expect(await sealedWith(next)).toBeGreaterThan(10);
  await talk('between');

  await worker.restart({ CREDENTIALS_KEY_PREVIOUS: '' });
  await talk('after');
  expect((await stage.get(proxied.sessionId)).proxy).toBe('http://127.0.0.1:9999');
  expect(stage.eventsOf('session.qr_generated', sessionId)).toHaveLength(1);
}, 240_000);
