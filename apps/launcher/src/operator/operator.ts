import { resolve } from 'node:path';
import { AppError } from '@svc/contracts';
import type { NatsAccess, RpcClient } from '@svc/messaging';
import { natsAccessOf } from '../services/nats-access.js';
import { askServices } from '../services/service-requests.js';
import { dataDirOf } from '../config.js';
import { operatorHelp, parseOperatorCall } from './operator-arguments.js';
import type { OperatorCommand, Place, Values } from './operator-commands.js';
import { say } from '../screen.js';
import { OPERATOR } from '../state/secrets.js';
import { readStackFile } from '../state/stack-file.js';

/**
 * Runs the operator CLI: one JSON object on standard output, unless the command is for people, and words for people on standard error.
 * Returns the exit code.
 */
export async function operator(argv: string[], env: NodeJS.ProcessEnv): Promise<number> {
  try {
    const call = parseOperatorCall(argv);
    if (call.help) {
      say(operatorHelp(call.command));
      return 0;
    }
    const values = { ...call.values, operator: env['OPERATOR_NAME'] || undefined };
    const answer = await answerOf(call.command, values, { dataDir: call.dataDir, env });
    const { show, isBad } = call.command;
    say(show && !call.values['json'] ? show(answer) : JSON.stringify(answer));
    return isBad?.(answer) ? 1 : 0;
  } catch (error) {
    const refusal =
      error instanceof AppError ? error : new AppError('INTERNAL', undefined, {}, { cause: error });
    say(JSON.stringify(refusal.toBody()));
    say(`${refusal.code}: ${refusal === error ? refusal.message : String(error)}`, process.stderr);
    return 1;
  }
}

async function answerOf(command: OperatorCommand, values: Values, place: Place): Promise<object> {
  if ('run' in command) return command.run(values, place);
  const nats = findNats(place);
  return ask(nats, (rpc) => command.ask(rpc, values, nats));
}

async function ask(nats: NatsAccess, question: (rpc: RpcClient) => Promise<object>): Promise<object> {
  try {
    return await askServices(nats, question);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'UPSTREAM_UNAVAILABLE') throw error;
    // A stack that was killed leaves its stack.json behind.
    const message = `${error.message} Does the stack run? "npm start" starts it.`;
    throw new AppError(error.code, message, error.meta, { cause: error });
  }
}

/** Finds NATS, and what to show it; a folder named in the call is preferred, because its `stack.json` has the address for callers. */
function findNats({ dataDir, env }: Place): NatsAccess {
  if (dataDir === undefined && env['NATS_URL']) return natsAccessOf(env['NATS_URL'], env);
  const directory = dataDir === undefined ? dataDirOf(env) : resolve(dataDir);
  const stack = readStackFile(directory);
  if (stack?.natsUsers) return { url: stack.nats, user: OPERATOR, password: stack.natsUsers[OPERATOR] };
  if (stack) return natsAccessOf(stack.nats, env);
  const message = `No stack runs with the data of ${directory}. Start it with "npm start", or set NATS_URL or DATA_DIR.`;
  throw new AppError('UPSTREAM_UNAVAILABLE', message);
}
