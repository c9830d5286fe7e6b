import { parseArgs } from 'node:util';
import { firstSentence } from '../reason.js';

/** The options of `start`, read from its arguments. */
export interface StartOptions {
  fresh: boolean;
  help: boolean;
}

export const START_HELP = `Starts the whole gateway on this machine.

  npm start                 start; Ctrl-C stops
  npm start -- --fresh      forget what earlier starts left in DATA_DIR, then start
  npm start -- --help       this text

Variables (all optional):
  SVC_MODE                  development; production: the simulator is the sandbox of test keys alone, live numbers are
                            on the platform, local receivers are refused, and there is no demo tenant
  GATEWAY_HOST              address that the REST API listens on, 127.0.0.1; 0.0.0.0 in a container
  GATEWAY_PORT              port of the REST API, 3000; 0: any free one
  GATEWAY_PUBLIC_URL        address of the REST API as the outside sees it
  SESSION_WORKERS           how many session workers share the sessions, 1; at most 16
  DATA_DIR                  where state lives, .data in the repository
  DATABASE_URL, NATS_URL    your own servers instead of the embedded ones
  PLATFORM_URL              your own platform instead of the simulator
  PLATFORM_TRUST_ROOT       its public key in hex
  PLATFORM_CA_FILE          file with the authority that speaks for its hosts
  WEBHOOK_RETRY_DELAYS_MS, WEBHOOK_TIMEOUT_MS, WEBHOOK_ALLOWED_ORIGINS
  LOG_LEVEL                 debug, info, warn or error; logs are in DATA_DIR/logs
`;

/**
 * Parses the arguments of a start.
 * @throws Error naming the argument that is wrong.
 */
export function parseStartOptions(argv: string[]): StartOptions {
  try {
    const { values } = parseArgs({
      args: argv,
      options: {
        fresh: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    return values;
  } catch (error) {
    throw new Error(`${firstSentence(error)}. See npm start -- --help`);
  }
}
