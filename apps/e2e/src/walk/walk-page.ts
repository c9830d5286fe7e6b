import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ROOT } from '../repository.js';
import type { Walk } from './walk.js';

/** Heading of the section that is written by hand; it ends the page. */
const SHAPES = '\n## Shapes\n';

/**
 * Makes the page `docs/walk.md`: the files of one send by project, each with the first sentence of its first doc block.
 * @param before the page as it is: what stands below its files is written by hand, and stays.
 */
export function walkPage(walk: Walk, before: string): string {
  const sections = Object.entries(walk).map(([project, files]) =>
    [`## ${project} (${files.length})`, '', ...files.map((file) => `- \`${file}\`${about(file)}`)].join('\n'),
  );
  return [
    '# One send, by file',
    '',
    '<!-- Written by `npm run walk -- --write`, but for the last section, which is written by hand. -->',
    '',
    `Files of ours that ran for one \`POST /v1/messages\`, from the request to the signed posts of \`message.sent\` and \`message.delivered\`: ${countOf(walk)}.`,
    'Counted by the coverage of real processes; what also runs without a send is taken off. Files with nothing but types, constants, SQL or rules for the validator run no code of their own and are not among them.',
    '',
    sections.join('\n\n'),
    '',
    before.includes(SHAPES) ? before.slice(before.indexOf(SHAPES) + 1) : '',
  ].join('\n');
}

/** Counts the files. */
export function countOf(walk: Walk): number {
  return Object.values(walk).flat().length;
}

const DOC_BLOCK = String.raw`/\*\*((?:(?!\*/)[\s\S])*)\*/\s*(?:@[^\n]*\s+)*`;

/** Lists the exports of a file, the most telling first: the class that it is named after, a class, a function, anything. */
const exportsOf = (file: string): string[] => [
  `export (?:abstract )?class ${classNameOf(file)}\\b`,
  'export (?:abstract )?class',
  'export (?:async )?function',
  'export',
];

/** Names the class of a file: `sending/send-publisher.ts` → `SendPublisher`. */
function classNameOf(file: string): string {
  const words = basename(file, '.ts').split(/[-.]/);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function about(file: string): string {
  const source = readFileSync(join(ROOT, file), 'utf8');
  const blocks = exportsOf(file).map((what) => new RegExp(DOC_BLOCK + what).exec(source)?.[1]);
  const block = blocks.find(Boolean) ?? '';
  const text = block
    .replace(/^\s*\* ?/gm, '')
    .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1') // a link of a comment leads from its own folder
    .replace(/\s+/g, ' ')
    .trim();
  const sentence = /^.*?\.(?= |$)/.exec(text)?.[0] ?? text;
  return sentence ? ` – ${sentence}` : '';
}
