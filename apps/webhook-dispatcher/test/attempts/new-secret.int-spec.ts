import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { GetEndpoint, RotateEndpointSecret, UpdateEndpoint, type WebhookEndpoint } from '@svc/contracts';
import { type ReceivedWebhook, waitFor } from '@svc/testing';
import { signatureHeader } from '../../src/signing/signed-post.js';
import { Stage } from '../stage.js';

// Retries far away: here every attempt is a first one, so that runs of answers are exact.
const stage = Stage.ofThisFile({ WEBHOOK_RETRY_DELAYS_MS: '0,600000,600000,600000,600000' });
beforeAll(() => stage.boot());
afterEach(() => stage.database.query('DELETE FROM public.svc_clock'));

const HOUR_MS = 3_600_000;

/** An endpoint whose receiver answers 401 to what is not signed with the secret it knows, as the specification tells it to. */
async function aVerifier(
  endpoint: WebhookEndpoint & { secret: string },
  tenantId: string,
  sessionId?: string,
) {
  const ref = { tenantId, endpointId: endpoint.id };
  let known = endpoint.secret;
  const isSigned = ({ headers, raw }: ReceivedWebhook): boolean =>
    headers['x-svc-signature'] === signatureHeader(known, Number(headers['x-svc-timestamp']), raw);
  stage.receiver.answerWith((post) => (isSigned(post) ? 200 : 401));
  const deliveries = () => stage.deliveries(tenantId, endpoint.id);
  const attempts = async () => (await deliveries()).flatMap((one) => one.attempts);
  /** Publishes events one after the other, each after the attempt before is written. @returns what the receiver answered. */
  const answers = async (count: number): Promise<(number | null)[]> => {
    const found = [];
    for (let i = 0; i < count; i += 1) {
      const before = (await attempts()).length;
      await stage.producer.received(tenantId, sessionId ? { sessionId } : {});
      await waitFor('the attempt', async () => (await attempts()).length === before + 1);
      found.push((await deliveries())[0]?.attempts[0]?.status ?? null);
    }
    return found;
  };
  const learn = (secret = ''): void => void (known = secret);
  const status = async () => (await stage.rpc.request(GetEndpoint, ref)).endpoint.status;
  const rotate = async () => (await stage.rpc.request(RotateEndpointSecret, ref)).endpoint.secret;
  const move = async (offsetMs: number): Promise<void> => {
    await stage.database.query('DELETE FROM public.svc_clock');
    await stage.database.query('SELECT public.svc_clock_set($1)', [offsetMs]);
    // The change makes the owner read its row again, as it does by itself within seconds.
    await stage.rpc.request(UpdateEndpoint, { ...ref, name: 'CRM' });
  };
  return { answers, learn, status, rotate, move, deliveries };
}

async function aTenantWide() {
  const tenantId = randomUUID();
  return aVerifier(await stage.endpoint(tenantId, stage.at(`/${tenantId}`), ['message.received']), tenantId);
}

describe('a receiver that does not know the new secret yet', () => {
  test('is not paused for its 401, and what it refused comes again on schedule', async () => {
    const { answers, learn, status, rotate, deliveries } = await aTenantWide();
    const secret = await rotate();
    expect(await answers(7)).toEqual([401, 401, 401, 401, 401, 401, 401]);
    expect(await status()).toBe('ACTIVE');
    expect((await deliveries()).map((one) => [one.status, one.nextAttemptAt !== null])).toEqual(
      Array.from({ length: 7 }, () => ['PENDING', true]),
    );
    learn(secret);
    expect(await answers(1)).toEqual([200]);
  });

  test('is paused by the fifth 401 from the first 2xx under the new secret on', async () => {
    const { answers, learn, status, rotate } = await aTenantWide();
    const secret = await rotate();
    await answers(5);
    learn(secret);
    await answers(1);
    learn('another one');
    expect(await answers(4)).toEqual([401, 401, 401, 401]);
    expect(await status()).toBe('ACTIVE');
    await answers(1);
    expect(await status()).toBe('PAUSED');
  });

  test('is paused by the fifth 401 once 24 hours have passed since the rotation', async () => {
    const { answers, status, rotate, move } = await aTenantWide();
    await rotate();
    await move(23 * HOUR_MS);
    await answers(5);
    expect(await status()).toBe('ACTIVE');
    await move(25 * HOUR_MS);
    // The second attempts of the five are due.
    await waitFor('the pause', async () => (await status()) === 'PAUSED');
  });

  test('has its time anew with the next rotation', async () => {
    const { answers, learn, status, rotate } = await aTenantWide();
    learn(await rotate());
    await answers(1);
    await rotate();
    await answers(6);
    expect(await status()).toBe('ACTIVE');
  });

  test('may be that of a session in external mode', async () => {
    const [tenantId, sessionId] = [randomUUID(), randomUUID()];
    const made = await stage.bind({ tenantId, sessionId, url: stage.at('/bot') });
    if (!made) throw new Error('There is no endpoint.');
    const { answers, learn, status } = await aVerifier(made, tenantId, sessionId);
    const rotated = await stage.bind({ tenantId, sessionId, rotateSecret: true });
    await answers(6);
    expect(await status()).toBe('ACTIVE');
    learn(rotated?.secret);
    expect(await answers(1)).toEqual([200]);
  });
});
