// Bare reference for `bench reserve`: the database function of limits, called in a loop.
import { randomUUID } from 'node:crypto';
import pg from 'pg';

const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: 10,
  options: '-c role=svc_limits -c search_path=limits,public -c enable_seqscan=off',
});
const text = 'SELECT * FROM reserve($1, $2, $3, $4, $5)';

process.on('message', async ({ argument: { sessions, count, clients, tierCaps } }) => {
  const times = [];
  let left = count;
  const client = async () => {
    while (left-- > 0) {
      const { tenantId, sessionId } = sessions[left % sessions.length];
      const begun = performance.now();
      const values = [randomUUID(), tenantId, sessionId, tierCaps, null];
      const { rows } = await pool.query({ name: 'reserve', text, values });
      if (rows[0].outcome !== 'admitted') throw new Error(`refused by ${rows[0].outcome}`);
      times.push(performance.now() - begun);
    }
  };
  const begun = performance.now();
  await Promise.all(Array.from({ length: clients }, client));
  process.send({ result: { seconds: (performance.now() - begun) / 1000, times } });
});
process.on('disconnect', () => process.exit(0));
process.send({ port: 0 });
