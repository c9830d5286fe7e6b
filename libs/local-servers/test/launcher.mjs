// Starts both servers below the given directory and holds them until a signal stops it.
import { join } from 'node:path';
import { startNats, startPostgres } from '@svc/local-servers';

const dataDir = process.argv[2];
const [postgres, nats] = await Promise.all([
  startPostgres({ dataDir: join(dataDir, 'postgres'), settings: { fsync: 'off' } }),
  startNats({ dataDir: join(dataDir, 'nats') }),
]);
process.once('SIGTERM', async () => {
  await Promise.all([postgres.stop(), nats.stop()]);
  process.exit(0);
});
console.log(JSON.stringify({ postgres, nats }));
