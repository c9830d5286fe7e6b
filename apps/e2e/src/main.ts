import { demo } from './demo.js';
import { runNamed } from './run-named.js';
import { Stack } from './stack/stack.js';

const HELP = `npm run demo                          plays the story headless, on the running stack or on one of its own
npm run drill -- <name> [--seed N]    a fault drill; no name lists them
npm run bench -- <name> [--minutes N] a benchmark; no name lists them

A drill or benchmark starts a stack of its own, tells its progress on standard error, ends with one line of JSON
and exits with 1 when it does not hold.
`;

// Once: a second Ctrl-C ends this process at once; the launcher understands it the same way.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => void Stack.stopAll().finally(() => process.exit(1)));
}

const [command, ...args] = process.argv.slice(2);
const isKnown = command === 'demo' || command === 'drill' || command === 'bench';
if (args.includes('--help') || !isKnown) {
  process.stdout.write(HELP);
  process.exit(isKnown || command === '--help' ? 0 : 1);
}
try {
  process.exitCode = command === 'demo' ? await demo() : await runNamed(command, args);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
}
process.exit();
