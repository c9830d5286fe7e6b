// Jest `globalSetup`, on the built files because Jest loads it without a transform. E2E_DATA_DIR names a stack to use instead.
import { Stack } from '../../dist/stack/stack.js';

export default async function startStack() {
  if (process.env.E2E_DATA_DIR) return;
  // The services log at debug level, because the search for secrets in the logs is the harder the more they say.
  const stack = await Stack.start({ WEBHOOK_RETRY_DELAYS_MS: '0,200,400,800,1600', LOG_LEVEL: 'debug' });
  globalThis.stackOfRun = stack;
  process.env.E2E_DATA_DIR = stack.dataDir;
}
