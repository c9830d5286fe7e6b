// The users of NATS, as libs/local-servers writes them for `npm start`; their passwords are variables of the server.
import { join } from 'node:path';
import { build } from 'esbuild';
import { ROOT } from './services.mjs';

/** Variable of the server that has the password of a user. */
export const passwordOf = (user) => `${user.toUpperCase().replaceAll('-', '_')}_PASSWORD`;

/** Reads the sources, so that nothing has to be built. */
export async function natsUsersFile() {
  const { outputFiles } = await build({
    stdin: {
      contents: "export * from './nats/users.js'; export * from './generated/nats-rights.js';",
      resolveDir: join(ROOT, 'libs/local-servers/src'),
      loader: 'ts',
    },
    bundle: true,
    format: 'esm',
    write: false,
  });
  const code = Buffer.from(outputFiles[0].text).toString('base64');
  const { natsUsers, NATS_RIGHTS } = await import(`data:text/javascript;base64,${code}`);
  const users = Object.keys(NATS_RIGHTS);
  const text = natsUsers({
    passwords: Object.fromEntries(users.map((user) => [user, `$${passwordOf(user)}`])),
  });
  // Lists in one line each: it is data of a server, which nobody reads line by line.
  return text.replaceAll(/\[\n\s+("[^\]]*")\n\s+\]/g, (_, list) => `[${list.replaceAll(/,\n\s+/g, ', ')}]`);
}
