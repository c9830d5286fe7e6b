import { waitFor } from '@svc/testing';
import pg from 'pg';
import type { Stack } from '../stack.js';

const HOUR = `interval '1 hour'`;
const NOBODY = 'nobody';

/**
 * Runs something while no worker has a session: their leases are somebody's who does nothing. Sends are accepted all the same, because a
 * worker that loses a lease says nothing of its sessions, and wait in the stream.
 */
export async function withIdleWorkers<T>(stack: Stack, run: () => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: stack.file.postgres });
  await client.connect();
  try {
    await client.query(
      `UPDATE sessions.partition_lease SET owner = $1, epoch = epoch + 1, expires_at = clock_timestamp() + ${HOUR}`,
      [NOBODY],
    );
    const isIdle = async (): Promise<boolean> => {
      const { items } = await stack.platform<{ items: { devices: { online: boolean }[] }[] }>(
        'GET',
        '/accounts',
      );
      return items.every(({ devices }) => devices.every(({ online }) => !online));
    };
    await waitFor('the workers to be idle', isIdle, 60_000);
    return await run();
  } finally {
    await client.end();
  }
}
