// Checks that each sentence of a page that says what the program does names a test that says so, too, and that there is such a test.
// A sentence is a line that ends with `<!-- test: group › name -->`, once for each test; what only explains or advises ends with
// `<!-- advice -->`. Below a table stands a line of such marks for each of its rows, or one line for them all. Code and headings need none.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';

const ROOT = resolve(import.meta.dirname, '..');
const MARK = /<!-- (?:test: (.+?)|advice) -->/g;
const ENDS_WITH_MARK = /<!-- (?:test: .+?|advice) -->$/;
const SPEC = /\.(?:spec|int-spec|e2e-spec)\.ts$/;
const SKIPPED = new Set(['node_modules', 'dist', 'out-tsc']);

/** Lists what is wrong with the marks of a page, as lines for people. */
export function untestedSentences(page) {
  const lines = proseOf(readFileSync(join(ROOT, page), 'utf8'));
  const marks = lines.flatMap(({ text }) => [...text.matchAll(MARK)].flatMap(([, name]) => name ?? []));
  const unknown = [...new Set(marks)].filter((name) => !isTest(name));
  return [
    ...[...unmarked(lines), ...tablesWithFewMarks(lines)].map(
      ({ at, text }) => `${page}:${at} names no test: ${text}`,
    ),
    ...unknown.map((name) => `${page}: there is no test "${name}".`),
  ];
}

/** Lists the lines outside of code, each with its number. */
function proseOf(text) {
  let isCode = false;
  return text.split('\n').flatMap((line, index) => {
    if (line.trimStart().startsWith('```')) isCode = !isCode;
    else if (!isCode && line.trim() !== '') return [{ at: index + 1, text: line.trim() }];
    return [];
  });
}

const isRow = ({ text }) => text.startsWith('|');
const isMarks = ({ text }) => text.replaceAll(MARK, '').trim() === '';
/** Heads, marks of blocks that are written by `npm run docs`, and rows, which have their marks below the table. */
const isExempt = (line) => /^(?:#|<!-- (?:Generated|block|\/block))/.test(line.text) || isRow(line);

const unmarked = (lines) => lines.filter((line) => !isExempt(line) && !ENDS_WITH_MARK.test(line.text));

function tablesWithFewMarks(lines) {
  return lines.filter((line, index) => {
    if (!isRow(line) || (index > 0 && isRow(lines[index - 1]))) return false;
    const end = lines.findIndex((other, at) => at > index && !isRow(other));
    const after = lines.slice(end).filter(({ text }) => !text.startsWith('<!-- /block'));
    const marks = after.findIndex((other) => !isMarks(other));
    // The head and the line below it are no rows.
    return marks !== 1 && marks !== end - index - 2;
  });
}

let specs;
const namesIn = new Map();

/** Says whether there is a test of this name: its own, behind those of its groups. */
function isTest(name) {
  specs ??= ['apps', 'libs']
    .flatMap((folder) => [...specsBelow(join(ROOT, folder))])
    .map((path) => [path, readFileSync(path, 'utf8')]);
  const last = name.split(' › ').at(-1);
  return specs.some(([path, text]) => {
    if (!text.includes(last)) return false;
    if (!namesIn.has(path)) namesIn.set(path, testsOf(path, text));
    return namesIn.get(path).has(name);
  });
}

function* specsBelow(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !SKIPPED.has(entry.name)) yield* specsBelow(path);
    else if (SPEC.test(entry.name)) yield path;
  }
}

/** Names every test of a file as it is written, with its groups: `describe › test`. */
function testsOf(path, text) {
  const names = new Set();
  const visit = (groups) => (node) => {
    const [kind, title] = ts.isCallExpression(node) ? callOf(node) : [];
    if (kind === 'test') names.add([...groups, title].join(' › '));
    ts.forEachChild(node, visit(kind === 'describe' ? [...groups, title] : groups));
  };
  visit([])(ts.createSourceFile(path, text, ts.ScriptTarget.Latest));
  return names;
}

/** Reads `test('…')`, `describe('…')` and both with `.each(…)`. */
function callOf({ expression, arguments: [title] }) {
  let name = expression;
  while (!ts.isIdentifier(name)) {
    if (!ts.isCallExpression(name) && !ts.isPropertyAccessExpression(name)) return [];
    name = name.expression;
  }
  const isTitle = title && ts.isStringLiteralLike(title);
  return isTitle && ['test', 'describe'].includes(name.text) ? [name.text, title.text] : [];
}
