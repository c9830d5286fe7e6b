import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { until } from '../support/phone-client.js';
import { RawClient } from '../support/raw-client.js';
import { Stack } from '../support/stack.js';

const ACCOUNT = '4915550017000';

interface Page {
  items: { phone: string; device: number; event: string; at: string }[];
  cursor: number;
  lost: number;
  now: string;
}

describe('the log of connections', () => {
  let stack: Stack;
  let client: Awaited<ReturnType<Stack['linked']>>;
  let cursor = 0;

  beforeAll(async () => {
    stack = await Stack.start();
    client = await stack.linked(ACCOUNT);
  });
  afterAll(() => stack.close());

  /** Reads the events since the last call, as soon as there are so many. */
  const next = async (count: number): Promise<Page['items']> => {
    const page = await until(async () => {
      const { body } = await stack.get<Page>(`/connections?since=${cursor}`);
      return body.items.length >= count && body;
    }, `${count} events`);
    ({ cursor } = page);
    return page.items;
  };
  const words = (items: Page['items']): string[] => items.map(({ event }) => event);

  test('tells of a login with its time, and of nothing twice', async () => {
    const [login, ...others] = await next(1);
    expect(login).toMatchObject({ phone: ACCOUNT, device: 1, event: 'login' });
    expect(login?.at).toBe((await stack.account(ACCOUNT)).devices[0]?.connectedAt);
    expect(others).toEqual([]);
    expect((await stack.get<Page>(`/connections?since=${cursor}`)).body.items).toEqual([]);
  });

  test.each(['close', 'drop', 'stream-error'])('tells of an end by %s, then of the login', async (mode) => {
    await stack.post(`/accounts/${ACCOUNT}/disconnect`, { mode });
    const ended = await next(1);
    await client.closed();
    client.connect();
    await client.opened();
    const items = [...ended, ...(await next(1))];
    expect(words(items)).toEqual(['end', 'login']);
    const [end, login] = items.map(({ at }) => Date.parse(at)) as [number, number];
    expect(end).toBeLessThanOrEqual(login);
  });

  test('an end is one at once, also when nobody answers the close', async () => {
    await stack.put(`/accounts/${ACCOUNT}/faults`, { blackHole: true });
    await stack.post(`/accounts/${ACCOUNT}/disconnect`, { mode: 'close' });
    expect(words(await next(1))).toEqual(['end']);
    await stack.call('DELETE', `/accounts/${ACCOUNT}/faults`);
    await client.closed();
    client.connect();
    await client.opened();
    expect(words(await next(1))).toEqual(['login']);
  });

  test('tells of a client that went away', async () => {
    await client.stop();
    expect(words(await next(1))).toEqual(['end']);
  });

  test('a connection that is replaced has no end: the device was never away', async () => {
    const [first, second] = [new RawClient(), new RawClient()];
    await first.resume(stack.simulator.websocket, client.credentials);
    await second.resume(stack.simulator.websocket, client.credentials);
    await until(() => first.closed, 'the first to be replaced');
    expect(words(await next(2))).toEqual(['login', 'login']);
    second.stop();
    expect(words(await next(1))).toEqual(['end']);
  });
});
