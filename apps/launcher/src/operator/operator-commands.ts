import {
  AgeKey,
  AgeKeyV1,
  AppError,
  ClearEntitlement,
  ClearEntitlementV1,
  ConfirmTenantName,
  ConfirmTenantNameV1,
  CreateKey,
  CreateKeyV1,
  CreateTenant,
  CreateTenantV1,
  type DataClass,
  DeleteTenant,
  DeleteTenantV1,
  ENTITLEMENT_KEYS,
  GetAuditLog,
  GetEntitlements,
  GetEntitlementsV1,
  GetPlatformVersion,
  GetUsage,
  GetUsageV1,
  ListKeys,
  ListTenants,
  OPERATOR_LOG,
  parseData,
  PLANS,
  ResetSandboxClock,
  ResumeTenant,
  RevokeKey,
  RevokeKeyV1,
  SetClock,
  SetClockV1,
  SetEntitlement,
  SetEntitlementV1,
  SetPlatformVersion,
  SetPlatformVersionV1,
  SetSubscription,
  SetSubscriptionV1,
  SUBSCRIPTION_STATUSES,
  SuspendTenant,
  SuspendTenantV1,
  TenantRef,
  VerifyAuditLog,
  VerifyAuditLogV1,
} from '@svc/contracts';
import type { NatsAccess, RpcClient } from '@svc/messaging';
import { INSTALLATION_COMMANDS } from './installation-commands.js';
import { refuse } from './refuse.js';

/** Arguments and options of a call by name, and `operator`, who calls; what is not given is absent. */
export type Values = Record<string, string | boolean | undefined>;

/** Place where a command is called: the folder that it names, and its environment. */
export interface Place {
  dataDir: string | undefined;
  env: NodeJS.ProcessEnv;
}

/** A command of the operator CLI: it asks the services, or runs by itself. */
export type OperatorCommand = Question | Program;

interface Words {
  /** `tenants create`. */
  words: string;
  /** Names of the arguments that follow the words; all are required. */
  args: readonly string[];
  /** Options by name; `true` are required, `flag` have no value. */
  options: Readonly<Record<string, 'required' | 'optional' | 'flag'>>;
  usage: string;
  about: string;
  /** Writes the answer for people, who get it unless the option `json` is given. */
  show?(answer: object): string;
  /** The answer says that something is wrong: the exit code is 1. */
  isBad?(answer: object): boolean;
}

interface Program extends Words {
  run(values: Values, place: Place): Promise<object>;
}

interface Question extends Words {
  ask(rpc: RpcClient, values: Values, nats: NatsAccess): Promise<object>;
}

/** The verifier may take this long: it reads all there is. */
const VERIFY_LIMIT_MS = 600_000;

/** Each service of a suspension may take its time. */
const STATE_LIMIT_MS = 30_000;

/** The units of the entitlements; the help of the operator says them. */
const UNITS =
  'messages and calls of models are a UTC day, tokens a month (overage: bill or block), storage bytes of files, pace requests a second of all keys; keys are those that work, scheduled messages that wait';

export const OPERATOR_COMMANDS: readonly OperatorCommand[] = [
  ...INSTALLATION_COMMANDS,
  {
    words: 'tenants create',
    args: [],
    options: { name: 'required', plan: 'required', subscription: 'optional', internal: 'flag' },
    usage: `--name N --plan ${PLANS.join('|')} [--subscription ${SUBSCRIPTION_STATUSES.join('|')}] [--internal]`,
    about: 'makes a tenant; its API key and dashboard password are shown this once',
    ask: (rpc, { name, plan, subscription = 'ACTIVE', internal = false, operator }) =>
      rpc.request(CreateTenant, checked(CreateTenantV1, { name, plan, subscription, internal, operator })),
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
    words: 'tenants confirm-name',
    args: ['tenantId'],
    options: { name: 'required' },
    usage: '<tenantId> --name N',
    about:
      'confirms the name under which the customers of a tenant know it, and allows it pages on which they link their numbers',
    ask: (rpc, { tenantId, name, operator }) =>
      rpc.request(
        ConfirmTenantName,
        checked(ConfirmTenantNameV1, { tenantId, name, operator }, { name: '--name' }),
      ),
  },
  {
    words: 'tenants withdraw-name',
    args: ['tenantId'],
    options: {},
    usage: '<tenantId>',
    about: 'takes the confirmed name of a tenant back: its link pages open no more',
    ask: (rpc, { tenantId, operator }) =>
      rpc.request(ConfirmTenantName, checked(ConfirmTenantNameV1, { tenantId, name: null, operator })),
  },
  {
    words: 'tenants suspend',
    args: ['tenantId'],
    options: { reason: 'optional' },
    usage: '<tenantId> [--reason R]',
    about:
      'refuses every key of a tenant and of its sandbox, and ends its event streams; sends and deliveries that were accepted before wait. A repeat does what is left to do',
    ask: (rpc, { tenantId, reason, operator }) => {
      const request = checked(SuspendTenantV1, { tenantId, reason, operator }, { reason: '--reason' });
      return rpc.request(SuspendTenant, request, STATE_LIMIT_MS);
    },
  },
  {
    words: 'tenants resume',
    args: ['tenantId'],
    options: { reason: 'optional' },
    usage: '<tenantId> [--reason R]',
    about: 'ends a suspension: keys work again, and what waited goes out',
    ask: (rpc, { tenantId, reason, operator }) => {
      const request = checked(SuspendTenantV1, { tenantId, reason, operator }, { reason: '--reason' });
      return rpc.request(ResumeTenant, request, STATE_LIMIT_MS);
    },
  },
  {
    words: 'tenants delete',
    args: ['tenantId'],
    options: { yes: 'flag', reason: 'optional' },
    usage: '<tenantId> --yes [--reason R]',
    about:
      'deletes a tenant and its sandbox for good, in the background: all but what invoices rest on. A repeat shows how far it is',
    ask: (rpc, { tenantId, yes, reason, operator }) => {
      const request = checked(DeleteTenantV1, { tenantId, reason, operator }, { reason: '--reason' });
      if (!yes)
        throw refuse(
          `--yes is missing: it deletes all that tenant ${tenantId} has, and nothing brings it back.`,
        );
      return rpc.request(DeleteTenant, request);
    },
  },
  {
    words: 'subscriptions set',
    args: ['tenantId', 'state'],
    options: { plan: 'optional' },
    usage: `<tenantId> ${SUBSCRIPTION_STATUSES.join('|')} [--plan ${PLANS.join('|')}]`,
    about: 'sets the state of a subscription, and its plan',
    ask: (rpc, { tenantId, state, plan, operator }) =>
      rpc.request(
        SetSubscription,
        checked(SetSubscriptionV1, { tenantId, status: state, plan, operator }, { status: 'state' }),
      ),
  },
  {
    words: 'entitlements set',
    args: ['tenantId', 'entitlement'],
    options: { reason: 'required' },
    usage: `<tenantId> ${ENTITLEMENT_KEYS.join('|')}=<value> --reason R`,
    about: `overrides one number of a tenant's plan, as in messages=5000; ${UNITS}`,
    ask: (rpc, { tenantId, entitlement, reason, operator }) => {
      const { key, value } = assignment(String(entitlement));
      const request = { tenantId, key, value, reason, operator };
      const names = { key: 'entitlement', reason: '--reason' };
      return rpc.request(SetEntitlement, checked(SetEntitlementV1, request, names));
    },
  },
  {
    words: 'entitlements list',
    args: ['tenantId'],
    options: {},
    usage: '<tenantId>',
    about: 'shows what a tenant may use, and the overrides in it beside the numbers of its plan',
    ask: (rpc, { tenantId }) => rpc.request(GetEntitlements, checked(GetEntitlementsV1, { tenantId })),
  },
  {
    words: 'entitlements clear',
    args: ['tenantId', 'entitlement'],
    options: { reason: 'optional' },
    usage: `<tenantId> ${ENTITLEMENT_KEYS.join('|')} [--reason R]`,
    about: "takes an override away: the plan's number holds again",
    ask: (rpc, { tenantId, entitlement: key, reason, operator }) => {
      const names = { key: 'entitlement', reason: '--reason' };
      const request = { tenantId, key, reason, operator };
      return rpc.request(ClearEntitlement, checked(ClearEntitlementV1, request, names));
    },
  },
  {
    words: 'usage',
    args: ['tenantId'],
    options: { month: 'optional' },
    usage: '<tenantId> [--month YYYY-MM]',
    about:
      'shows the tokens of a month, its blocks and what they cost; the month that runs, if none is named',
    ask: (rpc, { tenantId, month }) =>
      rpc.request(GetUsage, checked(GetUsageV1, { tenantId, month }, { month: '--month' })),
  },
  {
    words: 'keys create',
    args: ['tenantId'],
    options: { name: 'optional' },
    usage: '<tenantId> [--name N]',
    about:
      'makes a key of a tenant that may do everything and has no end, also where the tenant has locked itself out; it is shown this once',
    ask: (rpc, { tenantId, name, operator }) =>
      rpc.request(CreateKey, checked(CreateKeyV1, { tenantId, name, operator }, { name: '--name' })),
  },
  {
    words: 'keys list',
    args: ['tenantId'],
    options: {},
    usage: '<tenantId>',
    about:
      'lists the keys of a tenant, newest first: those that work, and those that ended in the last 30 days',
    ask: (rpc, { tenantId }) => rpc.request(ListKeys, checked(TenantRef, { tenantId })),
  },
  {
    words: 'keys revoke',
    args: ['tenantId', 'kid'],
    options: {},
    usage: '<tenantId> <kid>',
    about: 'revokes a key of a tenant at once, also its last one: "keys create" makes another',
    ask: (rpc, { tenantId, kid, operator }) =>
      rpc.request(RevokeKey, checked(RevokeKeyV1, { tenantId, kid, operator })),
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
    words: 'audit-log verify',
    args: [],
    options: { tenant: 'optional' },
    usage: '[--tenant <tenantId>]',
    about:
      'recomputes the chain of every audit log, or of one; fails where an entry was changed, taken out or put in',
    ask: async (rpc, { tenant }) => {
      const request = checked(VerifyAuditLogV1, { tenantId: tenant }, { tenantId: '--tenant' });
      const verdict = await rpc.request(VerifyAuditLog, request, VERIFY_LIMIT_MS);
      if (verdict.breaks.length === 0) return verdict;
      throw new AppError('AUDIT_LOG_CONFLICT', undefined, { ...verdict });
    },
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
    words: 'operator-log',
    args: [],
    options: {},
    usage: '',
    about:
      "shows the operator's own log, newest first: which tenants were deleted, by whom, and how much that was",
    ask: (rpc) => rpc.request(GetAuditLog, { tenantId: OPERATOR_LOG }),
  },
  {
    words: 'platform-version show',
    args: [],
    options: {},
    usage: '',
    about:
      'shows with which version of the client sessions log in, about how old it is, the one that is tried, and whether the platform refuses it',
    ask: (rpc) => rpc.request(GetPlatformVersion, {}),
  },
  {
    words: 'platform-version set',
    args: ['revision'],
    options: {},
    usage: '<revision>',
    about:
      'names the revision of the client for all logins from now on, also below what was accepted; nothing is read meanwhile',
    ask: (rpc, { revision, operator }) =>
      rpc.request(
        SetPlatformVersion,
        checked(SetPlatformVersionV1, { revision: Number(revision || NaN), operator }),
      ),
  },
  {
    words: 'platform-version auto',
    args: [],
    options: {},
    usage: '',
    about: 'has the revision read from its sources again, at once and then once a day',
    ask: (rpc, { operator }) =>
      rpc.request(SetPlatformVersion, checked(SetPlatformVersionV1, { revision: null, operator })),
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
  {
    words: 'clock reset',
    args: ['tenantId'],
    options: {},
    usage: '<tenantId>',
    about: "sets the clock of a tenant's sandbox back to real time",
    ask: (rpc, { tenantId }) => rpc.request(ResetSandboxClock, checked(TenantRef, { tenantId })),
  },
];

/** Splits `messages=5000`; whether key and value hold is for the contract to say. */
function assignment(text: string): { key: string; value: string | number } {
  const [, key = '', value = ''] = /^([^=]*)=(.*)$/.exec(text) ?? [];
  if (value === '')
    throw refuse(`entitlement must be a name and a value, as in messages=5000, not "${text}".`);
  return { key, value: /^\d+$/.test(value) ? Number(value) : value };
}

/** Checks by the contract before anything is sent; `names` are the words of the command line for its fields. */
function checked<T extends object>(type: DataClass<T>, data: object, names: Record<string, string> = {}): T {
  try {
    return parseData(type, data);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const rename = (text: string): string =>
      Object.entries({ operator: 'OPERATOR_NAME', ...names }).reduce(
        (said, [field, name]) => said.replaceAll(new RegExp(`\\b${field}\\b`, 'g'), name),
        text,
      );
    throw refuse(rename(error.message));
  }
}
