import { randomBytes } from 'node:crypto';
import { SvcClient } from '../client.js';
import { readVariable, type Variable } from './config.js';

/** Address of the receivers of the documentation. */
export const DEFAULT_RECEIVER = 'http://localhost:3001/hook';

/** The command was called in a way that it does not know. */
export class UsageError extends Error {}

const TEXTS = [
  ...(['api-key', 'base-url', 'forward', 'secret', 'event', 'session', 'after', 'to', 'text'] as const),
  'client-message-id',
] as const;
const FLAGS = ['all', 'own', 'changes', 'no-groups', 'published', 'report', 'json', 'help'] as const;
type Text = (typeof TEXTS)[number];
type Flag = (typeof FLAGS)[number];

/** The options of a command line. */
export type Values = Partial<Record<Text, string> & Record<Flag, boolean>>;

/**
 * Reads `--name value`, `--name=value` and `--flag`; what comes after `--` is no option. Of Node.js, `util.parseArgs` would do the same from 18.3.
 * @throws UsageError
 */
export function parseOptions(args: string[]): { values: Values; positionals: string[] } {
  const values: Values = {};
  const positionals: string[] = [];
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined && arg !== '--'; arg = rest.shift()) {
    if (/^-./.test(arg)) take(values, arg === '-h' ? '--help' : arg, rest);
    else positionals.push(arg);
  }
  return { values, positionals: [...positionals, ...rest] };
}

function take(values: Values, option: string, rest: string[]): void {
  const [, name, value] = /^--([^=]+)(?:=(.*))?$/s.exec(option) ?? [];
  if (isOneOf(FLAGS, name)) values[name] = flag(name, value);
  else if (isOneOf(TEXTS, name)) values[name] = value ?? next(name, rest);
  else throw new UsageError(`${option.replace(/=.*/s, '')}: there is no such option.`);
}

function isOneOf<T extends string>(names: readonly T[], name: string | undefined): name is T {
  return (names as readonly (string | undefined)[]).includes(name);
}

function flag(name: Flag, value: string | undefined): true {
  if (value !== undefined) throw new UsageError(`--${name} takes no value.`);
  return true;
}

/** Takes the value of an option from the argument behind it. A dash is more likely the next option than a value. */
function next(name: Text, rest: string[]): string {
  const value = rest.shift();
  if (value !== undefined && !/^-./.test(value)) return value;
  throw new UsageError(`--${name} needs a value; one that begins with a dash is given as --${name}=-…`);
}

/**
 * Returns an option that the command cannot do without, or the variable in its place.
 * @throws UsageError where both are missing.
 */
export function required(values: Values, name: keyof Values, variable?: Variable): string {
  const value = values[name] ?? (variable && readVariable(variable));
  if (typeof value === 'string' && value !== '') return value;
  throw new UsageError(`--${name} is missing${variable ? `, and so is the variable ${variable}` : ''}.`);
}

/**
 * Makes the client of the gateway.
 * @throws UsageError where key or address is missing.
 */
export function clientOf(values: Values): SvcClient {
  const apiKey = required(values, 'api-key', 'SVC_API_KEY');
  const baseUrl = required(values, 'base-url', 'SVC_BASE_URL');
  assertUrl('base-url', baseUrl);
  return new SvcClient({ apiKey, baseUrl });
}

/**
 * Returns the address to post to.
 * @throws UsageError where it is none.
 */
export function receiverOf({ forward: url = DEFAULT_RECEIVER }: Values): string {
  assertUrl('forward', url);
  return url;
}

/** Returns the secret that signs the posts; makes one where neither option nor variable has one. */
export function secretOf(values: Values): { secret: string; isNew: boolean } {
  const secret = values.secret ?? readVariable('SVC_WEBHOOK_SECRET');
  if (secret) return { secret, isNew: false };
  return { secret: `whsec_${randomBytes(32).toString('base64')}`, isNew: true };
}

/** @throws UsageError where words are left that are no options. */
export function assertNoPositionals(positionals: string[]): void {
  if (positionals.length > 0) throw new UsageError(`${positionals.join(' ')}: what is that?`);
}

function assertUrl(name: string, value: string): void {
  if (!/^https?:\/\/[^/]/.test(value)) throw new UsageError(`--${name} is not an address: ${value}`);
}
