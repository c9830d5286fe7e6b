import { compare } from './compare/compare.js';
import { demo } from './demo.js';
import { runNamed } from './run-named.js';
import { Stack } from './stack/stack.js';
import { runWalk } from './walk/run-walk.js';

const HELP = `npm run demo                          plays the story headless, on the running stack or on one of its own
npm run drill -- <name> [--seed N]    a fault drill; no name lists them
npm run bench -- <name> [--minutes N] a benchmark; no name lists them
npm run bench -- compare <name>        a benchmark of the commit before and of this one in turn, judged [--base <ref>] [--rounds N]
npm run walk -- [--json] [--write]    the files of ours that one send runs through; --write: docs/walk.md

A drill or benchmark starts a stack of its own, tells its progress on standard error, ends with one line of JSON
and exits with 1 when it does not hold.
`;

const COMMANDS: Record<string, (args: string[]) => Promise<number>> = {
  demo,
  drill: (args) => runNamed('drill', args),
  bench: (args) => (args[0] === 'compare' ? compare(args.slice(1)) : runNamed('bench', args)),
  walk: runWalk,
};

// The signal is caught once: a second Ctrl-C ends this process without a wait; the launcher understands it the same way.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => void Stack.stopAll().finally(() => process.exit(1)));
}

const [name = '', ...args] = process.argv.slice(2);
const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
if (!command || args.includes('--help')) {
  process.stdout.write(HELP);
  process.exit(command || name === '--help' ? 0 : 1);
}
try {
  process.exitCode = await command(args);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
}
process.exit();
