import { join } from 'node:path';
import {
  findNatsServer,
  type LocalServer,
  NATS_RIGHTS,
  natsUsers,
  startNats,
  startPostgres,
} from '@svc/local-servers';
import { natsPassword, OWNER, type Secrets } from '../state/secrets.js';
import { LogFile } from '../state/log-file.js';
import { SERVERS_STOP_ORDER } from '../services/services.js';
import { type Listener, Supervised } from '../processes/supervised.js';

/** Makes the embedded PostgreSQL; a restart keeps its port, so that clients find it again. */
export function embeddedPostgres(dataDir: string, listener: Listener): Supervised<LocalServer> {
  const log = writer(dataDir, 'postgres');
  return new Supervised(
    'postgres',
    SERVERS_STOP_ORDER,
    (previous) => startPostgres({ dataDir: join(dataDir, 'postgres'), port: previous?.port ?? 0, log }),
    listener,
  );
}

/** Makes the embedded nats-server with JetStream, likewise. Each service has a user of its own there, and nobody else gets in. */
export function embeddedNats(dataDir: string, secrets: Secrets, listener: Listener): Supervised<LocalServer> {
  const log = writer(dataDir, 'nats-server');
  return new Supervised(
    'nats-server',
    SERVERS_STOP_ORDER,
    async (previous) => {
      // The screen explains the wait: unpacking the distribution's package takes a while when the machine has no nats-server.
      const binary = await findNatsServer({ log: (line) => listener.say(`  ${line}`) });
      return startNats({
        ...{ dataDir: join(dataDir, 'nats'), port: previous?.port ?? 0, binary, log },
        config: natsUsers({ passwords: passwordsOf(secrets), everything: OWNER }),
      });
    },
    listener,
  );
}

const passwordsOf = (secrets: Secrets): Record<string, string> =>
  Object.fromEntries([...Object.keys(NATS_RIGHTS), OWNER].map((user) => [user, natsPassword(secrets, user)]));

function writer(dataDir: string, name: string): (line: string) => void {
  const stream = new LogFile(dataDir, name).stream();
  stream.on('error', () => undefined); // the server itself says that the disk is full, not its log
  return (line) => void stream.write(`${line}\n`);
}
