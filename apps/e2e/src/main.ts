import { demo } from './demo.js';
import { runNamed } from './named-runs.js';

const HELP = `npm run demo               plays the story headless, on the running stack or on one of its own
npm run drill -- <name>    a fault drill; no name lists them
npm run bench -- <name>    a benchmark; no name lists them
`;

const [command, ...args] = process.argv.slice(2);
if (args.includes('--help') || !['demo', 'drill', 'bench'].includes(command ?? '')) {
  process.stdout.write(HELP);
  process.exit(args.includes('--help') ? 0 : 1);
}
process.exit(command === 'demo' ? await demo() : await runNamed(command as 'drill' | 'bench', args));
