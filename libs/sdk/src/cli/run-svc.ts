import { ApiError, ConnectionError } from '../errors.js';
import { evals } from './evals.js';
import { HELP } from './help.js';
import { listen } from './listen.js';
import { parseOptions, UsageError } from './options.js';
import { Screen } from './screen.js';
import { send } from './send.js';
import { trigger } from './trigger.js';

const COMMANDS = { listen, send, trigger, evals };
/** Exit codes: done, refused or failed, called wrongly. */
const [DONE, FAILED, MISUSED] = [0, 1, 2];

/** Runs the command that these arguments ask for; returns the exit code. */
export async function runSvc([name, ...rest]: string[]): Promise<number> {
  const command = Object.hasOwn(COMMANDS, name ?? '') ? COMMANDS[name as keyof typeof COMMANDS] : undefined;
  const screen = new Screen(rest.includes('--json'));
  if (!command) return showUsage(screen, name);
  try {
    const { values, positionals } = parseOptions(rest);
    if (values.help) {
      screen.say(HELP[name as keyof typeof HELP]);
      return DONE;
    }
    return (await command(values, positionals, screen)) ? DONE : FAILED;
  } catch (error) {
    if (!(error instanceof UsageError)) return explain(screen, error);
    screen.note(`svc ${name}: ${error.message}\nSee: svc ${name} --help`);
    return MISUSED;
  }
}

function showUsage(screen: Screen, name: string | undefined): number {
  if (name === '--help' || name === '-h' || name === 'help') {
    screen.say(HELP.svc);
    return DONE;
  }
  screen.note(name === undefined ? HELP.svc : `svc: there is no command ${name}.\nSee: svc --help`);
  return MISUSED;
}

/** Prints an error of the API or the network; any other one is a fault of ours, with its place. */
function explain(screen: Screen, error: unknown): number {
  if (error instanceof ApiError) {
    const { status, code, message, requestId, meta } = error;
    screen.result({ error: { status, code, message, requestId, meta } }, () => '');
    screen.note(`${status} ${code}: ${message}${requestId ? ` (request ${requestId})` : ''}`);
  } else if (error instanceof ConnectionError) {
    screen.result({ error: { code: 'NO_ANSWER', message: error.message } }, () => '');
    screen.note(error.message);
  } else {
    screen.note(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  return FAILED;
}
