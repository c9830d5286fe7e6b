import { readConfig } from './config.js';
import { reasonOf } from './reason.js';
import { say } from './screen.js';

/** The terminal may be closed or the pipe cut (`npm start | head`); that must not bring the stack down. */
process.stdout.on('error', () => undefined);

const [command, ...operands] = process.argv.slice(2);

try {
  if (command === 'operator') {
    const { operator } = await import('./operator/operator.js');
    process.exitCode = await operator(operands, process.env);
  } else {
    const { start } = await import('./stack/start.js');
    const args = command === 'start' ? operands : process.argv.slice(2);
    process.exitCode = await start(args, () => readConfig(process.env));
  }
} catch (error) {
  say(`\n${reasonOf(error)}`, process.stderr);
  process.exitCode = 1;
}
