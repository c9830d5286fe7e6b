import { describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { findFreePort, PortTakenError, startOnPort } from './ports.js';

describe('a free port', () => {
  test('can be listened on and lies below the range of outgoing connections', async () => {
    const port = await findFreePort();
    expect(port).toBeGreaterThanOrEqual(20_000);
    expect(port).toBeLessThan(32_768);
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    server.close();
  });

  test('is drawn again when somebody was faster', async () => {
    const tried: number[] = [];
    const started = await startOnPort(0, async (port) => {
      tried.push(port);
      if (tried.length < 3) throw new PortTakenError(port);
      return Promise.resolve(port);
    });
    expect(tried).toHaveLength(3);
    expect(started).toBe(tried[2]);
    expect(new Set(tried).size).toBe(3);
  });
});

describe('a fixed port', () => {
  test('is waited for while its previous holder stops', async () => {
    const tried: number[] = [];
    const started = await startOnPort(4321, async (port) => {
      tried.push(port);
      if (tried.length < 3) throw new PortTakenError(port);
      return Promise.resolve('started');
    });
    expect(started).toBe('started');
    expect(tried).toEqual([4321, 4321, 4321]);
  });

  test('is not tried again after a failure of another kind', async () => {
    let tries = 0;
    const starting = startOnPort(4321, async () => {
      tries++;
      return Promise.reject(new Error('no disk'));
    });
    await expect(starting).rejects.toThrow('no disk');
    expect(tries).toBe(1);
  });
});
