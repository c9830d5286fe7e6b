import { readFileSync } from 'node:fs';
import type { NatsAccess } from '@svc/messaging';

/**
 * Reads from the environment what the NATS servers at `url` want to see of the operator, by the names that services have for it (`NatsConfig`
 * of libs/service, which is too slow to load for a command).
 * @throws Error when a file cannot be read
 */
export function natsAccessOf(url: string, env: NodeJS.ProcessEnv): NatsAccess {
  const read = (name: string): string | undefined => {
    const file = env[`${name}_FILE`];
    return env[name] || (file ? readFileSync(file, 'utf8').trim() : undefined);
  };
  return {
    url,
    user: read('NATS_USER'),
    password: read('NATS_PASSWORD'),
    credentials: read('NATS_CREDS'),
    ca: read('NATS_CA'),
    certificate: read('NATS_CERT'),
    key: read('NATS_KEY'),
  };
}
