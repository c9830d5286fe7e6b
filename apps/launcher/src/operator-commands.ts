import { parseArgs } from 'node:util';
import {
  AgeKey,
  AgeKeyV1,
  AppError,
  CreateTenant,
  CreateTenantV1,
  type DataClass,
  GetAuditLog,
  ListTenants,
  parseData,
  PLANS,
  SetClock,
  SetClockV1,
  SetSubscription,
  SetSubscriptionV1,
  SUBSCRIPTION_STATUSES,
  TenantRef,
} from '@svc/contracts';
import type { RpcClient } from '@svc/messaging';
import { firstSentence } from './reason.js';

/** Arguments and options of a call by name; options not given are absent. */
export type Values = Record<string, string | boolean | undefined>;

/** One command of the operator CLI. */
export interface OperatorCommand {
  /** `tenants create`. */
  words: string;
  /** Names of the arguments that follow the words; all are required. */
  args: readonly string[];
  /** Options by name; `true` are required, `flag` have no value. */
  options: Readonly<Record<string, 'required' | 'optional' | 'flag'>>;
  usage: string;
  about: string;
  ask(rpc: RpcClient, values: Values): Promise<object>;
}

/** A command line, understood. */
export interface OperatorCall {
  command: OperatorCommand | undefined;
  values: Values;
  dataDir: string | undefined;
  help: boolean;
}

export const OPERATOR_COMMANDS: readonly OperatorCommand[] = [
  {
    words: 'tenants create',
    args: [],
    options: { name: 'required', plan: 'required', subscription: 'optional', internal: 'flag' },
    usage: `--name N --plan ${PLANS.join('|')} [--subscription ${SUBSCRIPTION_STATUSES.join('|')}] [--internal]`,
    about: 'makes a tenant; its API key and dashboard password are shown this once',
    ask: (rpc, { name, plan, subscription = 'ACTIVE', internal = false }) =>
      rpc.request(CreateTenant, checked(CreateTenantV1, { name, plan, subscription, internal })),
  },
  {
    words: 'tenants list',
    args: [],
    options: {},
    usage: '',
    about: 'lists all tenants',
    ask: (rpc) => rpc.request(ListTenants, {}),
  },
  {
    words: 'subscriptions set',
    args: ['tenantId', 'state'],
    options: {},
    usage: `<tenantId> ${SUBSCRIPTION_STATUSES.join('|')}`,
    about: 'sets the state of a subscription',
    ask: (rpc, { tenantId, state }) =>
      rpc.request(
        SetSubscription,
        checked(SetSubscriptionV1, { tenantId, status: state }, { status: 'state' }),
      ),
  },
  {
    words: 'keys age',
    args: ['kid'],
    options: { hours: 'required' },
    usage: '<kid> --hours N',
    about: "moves a key's times back (development only)",
    ask: (rpc, { kid, hours }) =>
      rpc.request(AgeKey, checked(AgeKeyV1, { kid, hours: Number(hours || NaN) })),
  },
  {
    words: 'audit-log',
    args: ['tenantId'],
    options: {},
    usage: '<tenantId>',
    about: 'shows the audit log of a tenant, newest first',
    ask: (rpc, { tenantId }) => rpc.request(GetAuditLog, checked(TenantRef, { tenantId })),
  },
  {
    words: 'clock set',
    args: ['time'],
    options: {},
    usage: '<ISO 8601 time>|real',
    about: 'moves the time that days, expiry and schedules follow (development only)',
    ask: (rpc, { time }) =>
      rpc.request(SetClock, checked(SetClockV1, { at: time === 'real' ? null : time }, { at: 'time' })),
  },
];

/** @throws AppError `VALIDATION_FAILED` that names what is wrong in the command line. */
export function parseOperatorCall(argv: string[]): OperatorCall {
  const { values, positionals } = parse(argv);
  const { 'data-dir': dataDir, help = false, ...given } = values;
  const command = OPERATOR_COMMANDS.find(
    ({ words }) => words === positionals.slice(0, words.split(' ').length).join(' '),
  );
  const call = { command, dataDir: dataDir as string | undefined, help: help === true };
  if (help || (!command && positionals.length === 0)) return { ...call, values: given };
  if (!command) throw refuse(`There is no command "${positionals.join(' ')}". See --help.`);
  const args = positionals.slice(command.words.split(' ').length);
  const usage = `Usage: ${command.words} ${command.usage}`.trim();
  for (const name of Object.keys(given)) {
    if (!(name in command.options)) throw refuse(`${command.words} has no option --${name}. ${usage}`);
  }
  for (const [name, kind] of Object.entries(command.options)) {
    if (kind === 'required' && given[name] === undefined) throw refuse(`--${name} is missing. ${usage}`);
  }
  const missing = command.args[args.length];
  if (missing !== undefined) throw refuse(`<${missing}> is missing. ${usage}`);
  if (args.length > command.args.length)
    throw refuse(`"${args[command.args.length]}" is one too many. ${usage}`);
  return {
    ...call,
    values: { ...given, ...Object.fromEntries(command.args.map((name, i) => [name, args[i]])) },
  };
}

/** Help on one command, or on all. */
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
    'Answers with one JSON object. Finds the stack by --data-dir, else NATS_URL, else DATA_DIR.',
  ].join('\n');
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

/** Checks by the contract before anything is sent; `names` are the words of the command line for its fields. */
function checked<T extends object>(type: DataClass<T>, data: object, names: Record<string, string> = {}): T {
  try {
    return parseData(type, data);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const rename = (text: string): string =>
      Object.entries(names).reduce(
        (said, [field, name]) => said.replaceAll(new RegExp(`\\b${field}\\b`, 'g'), name),
        text,
      );
    throw refuse(rename(error.message));
  }
}

function refuse(message: string): AppError {
  return new AppError('VALIDATION_FAILED', message);
}
