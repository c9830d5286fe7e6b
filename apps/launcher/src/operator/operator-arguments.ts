import { parseArgs } from 'node:util';
import { OPERATOR_COMMANDS, type OperatorCommand, type Values } from './operator-commands.js';
import { refuse } from './refuse.js';
import { firstSentence } from '../reason.js';

/** A parsed command line: a call, or a wish for help on one command or on all. */
export type OperatorCall =
  | { help: true; command: OperatorCommand | undefined }
  | { help: false; command: OperatorCommand; values: Values; dataDir: string | undefined };

/**
 * Parses a command line.
 * @throws AppError `VALIDATION_FAILED` that names what is wrong in the command line.
 */
export function parseOperatorCall(argv: string[]): OperatorCall {
  const { values, positionals } = parse(argv);
  const { 'data-dir': dataDir, help = false, ...options } = values;
  const command = OPERATOR_COMMANDS.find(
    ({ words }) => words === positionals.slice(0, words.split(' ').length).join(' '),
  );
  if (help) return { help: true, command };
  if (positionals.length === 0) throw refuse('No command is given. See --help.');
  if (!command) throw refuse(`There is no command "${positionals.join(' ')}". See --help.`);
  const args = positionals.slice(command.words.split(' ').length);
  checkOptions(command, options);
  checkArguments(command, args);
  const named = Object.fromEntries(command.args.map((name, i) => [name, args[i]]));
  return { help: false, command, values: { ...options, ...named }, dataDir: dataDir as string | undefined };
}

/** Writes the help on one command, or on all. */
export function operatorHelp(command?: OperatorCommand): string {
  const lines = (command ? [command] : OPERATOR_COMMANDS).flatMap(({ words, usage, about }) => [
    `  ${words} ${usage}`.trimEnd(),
    `      ${about}`,
  ]);
  return [
    'npm run -s operator -- <command> [--data-dir <folder>]',
    '',
    ...lines,
    '',
    'Answers with one JSON object, unless said otherwise. Finds the stack by --data-dir, else NATS_URL, else DATA_DIR.',
  ].join('\n');
}

function checkOptions(command: OperatorCommand, options: Values): void {
  for (const name of Object.keys(options)) {
    if (!(name in command.options))
      throw refuse(`${command.words} has no option --${name}. ${usageOf(command)}`);
  }
  for (const [name, kind] of Object.entries(command.options)) {
    if (kind === 'required' && options[name] === undefined) {
      throw refuse(`--${name} is missing. ${usageOf(command)}`);
    }
  }
}

function checkArguments(command: OperatorCommand, args: string[]): void {
  const missing = command.args[args.length];
  if (missing !== undefined) throw refuse(`<${missing}> is missing. ${usageOf(command)}`);
  const extra = args[command.args.length];
  if (extra !== undefined) throw refuse(`"${extra}" is one too many. ${usageOf(command)}`);
}

function usageOf({ words, usage }: OperatorCommand): string {
  return `Usage: ${words} ${usage}`.trim();
}

function parse(args: string[]): { values: Values; positionals: string[] } {
  const names = OPERATOR_COMMANDS.flatMap(({ options }) => Object.entries(options));
  const options = Object.fromEntries(
    names.map(([name, kind]) => [name, { type: kind === 'flag' ? 'boolean' : 'string' } as const]),
  );
  const common = { 'data-dir': { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const;
  try {
    const parsed = parseArgs({ args, options: { ...options, ...common }, allowPositionals: true });
    return { values: parsed.values as Values, positionals: parsed.positionals };
  } catch (error) {
    throw refuse(`${firstSentence(error)}. See --help.`);
  }
}
