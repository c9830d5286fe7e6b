// Reads the commands of a page and runs them, for checks that hold a page to what it says.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const END = '-- end of a block --';

/** Lists the `sh` blocks of a page or a part of it, each with the `json` block behind it: a part of the last line that it prints. */
export function blocksOf(page) {
  const blocks = [];
  for (const [, language, text] of page.matchAll(/^```(\w+)\n(.*?)^```/gms)) {
    if (language === 'sh') blocks.push({ commands: text });
    else if (language === 'json') Object.assign(blocks.at(-1), { answer: JSON.parse(text) });
    else throw new Error(`Nobody runs a block of ${language}.`);
  }
  return blocks;
}

/** Runs blocks in one shell. @returns what each has printed. @throws Error at the first command that fails. */
export async function runBlocks(blocks, options) {
  const script = blocks.map(({ commands }) => `${commands}\necho '${END}'`);
  const shell = spawn('bash', ['-c', ['set -eo pipefail', ...script].join('\n')], {
    ...options,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  shell.stdout.on('data', (chunk) => (output += chunk));
  const [code] = await once(shell, 'close');
  if (code !== 0) throw new Error(`The commands ended with ${code}. They printed:\n${output}`);
  return output.split(`${END}\n`);
}

/** Lists the blocks that have printed another answer than the page shows. */
export function wrongAnswers(blocks, outputs) {
  return blocks.flatMap(({ commands, answer }, index) => {
    const line = outputs[index].trim().split('\n').at(-1);
    return !answer || contains(JSON.parse(line), answer) ? [] : [`${commands}printed ${line}`];
  });
}

function contains(whole, part) {
  if (typeof part !== 'object' || part === null) return whole === part;
  if (Array.isArray(part) && part.length !== whole?.length) return false;
  return Object.entries(part).every(([key, one]) => contains(whole?.[key], one));
}
