import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { AppError, GetSubscription, GetTiers } from '@svc/contracts';
import { startTestNats, type TestNats, waitFor } from '@svc/test-servers';
import { RpcClient } from '../src/index.js';
import { bootSmallService, type Script, type SmallService } from './small-service.js';

let nats: TestNats;
let service: SmallService;
let rpc: RpcClient;
const script: Script = {};

beforeAll(async () => {
  nats = await startTestNats();
  service = await bootSmallService(nats.url, script, { app: 'limits', stream: 'events', partitioned: false });
  rpc = RpcClient.at({ url: nats.url }, 'asker');
});
afterAll(async () => {
  await rpc.onApplicationShutdown();
  await service.close();
  await nats.stop();
});

const sessionId = randomUUID();
const ask = (timeoutMs?: number) => rpc.request(GetTiers, { sessionIds: [sessionId] }, timeoutMs);
const failWith = (error: unknown): void => {
  script.tiers = () => {
    throw error;
  };
};

describe('a request', () => {
  test('is answered with a checked reply', async () => {
    script.tiers = ({ sessionIds }) => ({ tiers: sessionIds.map((id) => ({ sessionId: id, tier: 3 })) });
    const reply = await ask();
    expect(reply).toBeInstanceOf(GetTiers.reply);
    expect(reply).toEqual({ tiers: [{ sessionId, tier: 3 }] });
  });

  test('is answered by either of two instances, once', async () => {
    const asked: string[] = [];
    script.tiers = () => {
      asked.push('one');
      return { tiers: [] };
    };
    const two: Script = {
      tiers: () => {
        asked.push('two');
        return { tiers: [] };
      },
    };
    const second = await bootSmallService(nats.url, two, {
      app: 'limits',
      stream: 'events',
      partitioned: false,
    });
    await Promise.all(Array.from({ length: 60 }, () => ask()));
    await second.close();
    expect(asked).toHaveLength(60);
    expect(new Set(asked)).toEqual(new Set(['one', 'two']));
  });

  test('that fails arrives with code, words and meta of the error', async () => {
    failWith(new AppError('SESSION_STATE_CONFLICT', 'It is being deleted.', { sessionId }));
    await expect(ask()).rejects.toMatchObject({
      name: 'AppError',
      code: 'SESSION_STATE_CONFLICT',
      message: 'It is being deleted.',
      meta: { sessionId },
    });
  });

  test("whose reply breaks the contract is our fault, not the asker's", async () => {
    script.tiers = () => ({ tiers: [{ sessionId, tier: 99 }] });
    await expect(ask()).rejects.toMatchObject({ code: 'INTERNAL' });
  });

  test('that is not answered in time is UPSTREAM_TIMEOUT', async () => {
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    script.tiers = () => answered.then(() => ({ tiers: [] }));
    await expect(ask(300)).rejects.toMatchObject({ code: 'UPSTREAM_TIMEOUT', meta: { app: 'limits' } });
    answer();
  });

  test('is not answered with what was said to one that was given up before it', async () => {
    const answers: (() => void)[] = [];
    script.tiers = ({ sessionIds }) =>
      new Promise((resolve) => {
        answers.push(() => resolve({ tiers: sessionIds.map((id) => ({ sessionId: id, tier: 1 })) }));
      });
    await expect(ask(200)).rejects.toMatchObject({ code: 'UPSTREAM_TIMEOUT' });
    const other = randomUUID();
    const asked = rpc.request(GetTiers, { sessionIds: [other] });
    await waitFor('both to be asked', () => answers.length === 2);
    for (const answer of answers) answer(); // the late one first
    expect(await asked).toEqual({ tiers: [{ sessionId: other, tier: 1 }] });
  });

  test('gets its own answer, however many are asked at the same time and in whatever order they are answered', async () => {
    script.tiers = async ({ sessionIds }) => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
      return { tiers: sessionIds.map((id) => ({ sessionId: id, tier: 2 })) };
    };
    const asked = Array.from({ length: 300 }, () => randomUUID());
    const replies = await Promise.all(asked.map((id) => rpc.request(GetTiers, { sessionIds: [id] })));
    expect(replies.flatMap(({ tiers }) => tiers.map((one) => one.sessionId))).toEqual(asked);
  });

  test('that nobody hears is UPSTREAM_UNAVAILABLE, without waiting for the time-out', async () => {
    const asked = rpc.request(GetSubscription, { tenantId: randomUUID() }, 600_000);
    await expect(asked).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', meta: { app: 'billing' } });
  });
});
