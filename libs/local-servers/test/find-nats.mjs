// Prints where nats-server is found, given a cache directory.
import { findNatsServer } from '@svc/local-servers';

try {
  console.log(await findNatsServer({ cacheDir: process.argv[2] }));
} catch (error) {
  console.error(error.message, error.cause ?? '');
  process.exitCode = 1;
}
