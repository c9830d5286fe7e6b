import pg from 'pg';

/** Number of log files of 16 MB each: more than a benchmark writes. */
const FILES = 24;

/**
 * Gives a new database what one in operation has: log files to use again. A new one makes each in the middle of a commit,
 * for which all others wait, some 50 ms.
 */
export async function provideUsedLogFiles(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (let made = 0; made < FILES; made += 1) {
      await client.query(`SELECT pg_logical_emit_message(false, 'bench', '')`);
      await client.query('SELECT pg_switch_wal()');
    }
    await client.query('CHECKPOINT');
  } finally {
    await client.end();
  }
}
