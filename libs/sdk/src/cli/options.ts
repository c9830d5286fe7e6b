import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { SvcClient } from '../client.js';

/** Where the receivers of the documentation listen. */
export const DEFAULT_RECEIVER = 'http://localhost:3001/hook';

/** The command was called in a way that it does not know. */
export class UsageError extends Error {}

const text = { type: 'string' } as const;
const OPTIONS = {
  'api-key': text,
  'base-url': text,
  forward: text,
  secret: text,
  event: text,
  session: text,
  after: text,
  to: text,
  text,
  'client-message-id': text,
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Options as they were given. */
export type Values = ReturnType<typeof parseOptions>['values'];

/** @throws UsageError */
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- what parseArgs makes of the table above
export function parseOptions(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** @throws UsageError where an option is missing that the command cannot do without. */
export function needed(values: Values, name: keyof Values, variable?: string): string {
  const value = values[name] ?? (variable && process.env[variable]);
  if (typeof value === 'string' && value !== '') return value;
  throw new UsageError(`--${name} is missing${variable ? `, and so is the variable ${variable}` : ''}.`);
}

/** @throws UsageError where key or address is missing. */
export function clientOf(values: Values): SvcClient {
  const apiKey = needed(values, 'api-key', 'SVC_API_KEY');
  const baseUrl = needed(values, 'base-url', 'SVC_BASE_URL');
  assertUrl('base-url', baseUrl);
  return new SvcClient({ apiKey, baseUrl });
}

/** Where to post to. @throws UsageError */
export function receiverOf({ forward: url = DEFAULT_RECEIVER }: Values): string {
  assertUrl('forward', url);
  return url;
}

/** What signs the posts; one is made where none is given. */
export function secretOf(values: Values): { secret: string; made: boolean } {
  const given = values.secret ?? process.env['SVC_WEBHOOK_SECRET'];
  if (given) return { secret: given, made: false };
  return { secret: `whsec_${randomBytes(32).toString('base64')}`, made: true };
}

/** @throws UsageError */
export function assertNoPositionals(positionals: string[]): void {
  if (positionals.length > 0) throw new UsageError(`${positionals.join(' ')}: what is that?`);
}

function assertUrl(name: string, value: string): void {
  if (!/^https?:\/\/[^/]/.test(value)) throw new UsageError(`--${name} is not an address: ${value}`);
}
