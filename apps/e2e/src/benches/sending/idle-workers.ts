import { waitFor } from '@svc/testing';
import pg from 'pg';
import type { Stack } from '../../stack/stack.js';

const HOUR = `interval '1 hour'`;
const NOBODY = 'nobody';

/** The means of a run while no worker has a session. */
interface Idleness {
  /**
   * Stops the gateway from publishing accepted sends again: after 130 s it repeats those that no worker takes on, beside what is measured.
   * The sends that are accepted by now are not repeated from here on.
   */
  publishNothingAgain(): Promise<void>;
}

/**
 * Runs something while no worker has a session: their leases belong to an owner that does nothing. Sends are accepted all the same, because
 * a worker that loses a lease says nothing of its sessions, and wait in the stream.
 */
export async function withIdleWorkers<T>(stack: Stack, run: (idle: Idleness) => Promise<T>): Promise<T> {
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
    const publishNothingAgain = async (): Promise<void> => {
      await client.query(
        `UPDATE gateway.message SET next_publish_at = clock_timestamp() + ${HOUR} WHERE next_publish_at IS NOT NULL`,
      );
    };
    return await run({ publishNothingAgain });
  } finally {
    await client.end();
  }
}
