// Copies what runs of a built app, for an image of it: `node tools/runtime/copy.mjs <app> <folder>`.
import { copyProgram } from './runtime.mjs';

const [app, folder] = process.argv.slice(2);
if (!app || !folder) {
  process.stderr.write('node tools/runtime/copy.mjs <app> <folder>\n');
  process.exit(1);
}
await copyProgram(app, folder);
