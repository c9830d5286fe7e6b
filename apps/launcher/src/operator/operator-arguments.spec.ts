import { describe, expect, test } from '@jest/globals';
import { AppError, OPERATOR_LOG, type RequestContract } from '@svc/contracts';
import type { RpcClient } from '@svc/messaging';
import { operatorHelp, parseOperatorCall } from './operator-arguments.js';

const TENANT = '0198c0de-0000-7000-8000-000000000001';

/** Parses a command line and returns its request: the subject and the body. */
function asked(...argv: string[]): Promise<[subject: string, body: object]> {
  return askedBy(undefined, ...argv);
}

/** Returns the request that the command makes for an operator of this name. */
async function askedBy(
  operator: string | undefined,
  ...argv: string[]
): Promise<[subject: string, body: object]> {
  const call = parseOperatorCall(argv);
  let question: [string, object] | undefined;
  const request = async ({ subject }: RequestContract, body: object): Promise<object> => {
    question = [subject, { ...body }];
    return {};
  };
  const rpc = { request } as unknown as RpcClient;
  const nats = { url: 'nats://127.0.0.1:1' };
  if (!call.help && 'ask' in call.command) await call.command.ask(rpc, { ...call.values, operator }, nats);
  return question ?? ['nothing', {}];
}

async function refusal(...argv: string[]): Promise<string> {
  const error = await asked(...argv).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(AppError);
  expect(error).toMatchObject({ code: 'VALIDATION_FAILED' });
  return (error as AppError).message;
}

describe('the operator asks', () => {
  test('for a tenant that is active and not internal unless said otherwise', async () => {
    expect(await asked('tenants', 'create', '--name', 'Acme', '--plan', 'STARTER')).toEqual([
      'rpc.api-gateway.create-tenant',
      { name: 'Acme', plan: 'STARTER', subscription: 'ACTIVE', internal: false },
    ]);
    const more = ['--subscription', 'PAST_DUE', '--internal'];
    expect(await asked('tenants', 'create', '--name', 'Acme', '--plan', 'ENTERPRISE', ...more)).toEqual([
      'rpc.api-gateway.create-tenant',
      { name: 'Acme', plan: 'ENTERPRISE', subscription: 'PAST_DUE', internal: true },
    ]);
  });

  test.each([
    [['tenants', 'list'], 'rpc.api-gateway.list-tenants', {}],
    [
      ['subscriptions', 'set', TENANT, 'UNPAID'],
      'rpc.billing.set-subscription',
      { tenantId: TENANT, status: 'UNPAID' },
    ],
    [
      ['entitlements', 'set', TENANT, 'messages=5000', '--reason', 'Contract of May'],
      'rpc.billing.set-entitlement',
      { tenantId: TENANT, key: 'messages', value: 5_000, reason: 'Contract of May' },
    ],
    [
      ['entitlements', 'set', TENANT, 'overage=block', '--reason', 'R'],
      'rpc.billing.set-entitlement',
      { tenantId: TENANT, key: 'overage', value: 'block', reason: 'R' },
    ],
    [['entitlements', 'list', TENANT], 'rpc.billing.get-entitlements', { tenantId: TENANT }],
    [
      ['entitlements', 'clear', TENANT, 'messages'],
      'rpc.billing.clear-entitlement',
      { tenantId: TENANT, key: 'messages' },
    ],
    [
      ['keys', 'age', 'abcDEF012345', '--hours', '25'],
      'rpc.api-gateway.age-key',
      { kid: 'abcDEF012345', hours: 25 },
    ],
    [['keys', 'create', TENANT], 'rpc.api-gateway.create-key', { tenantId: TENANT }],
    [
      ['keys', 'create', TENANT, '--name', 'By phone'],
      'rpc.api-gateway.create-key',
      { tenantId: TENANT, name: 'By phone' },
    ],
    [['keys', 'list', TENANT], 'rpc.api-gateway.list-keys', { tenantId: TENANT }],
    [
      ['keys', 'revoke', TENANT, 'abcDEF012345'],
      'rpc.api-gateway.revoke-key',
      { tenantId: TENANT, kid: 'abcDEF012345' },
    ],
    [
      ['tenants', 'suspend', TENANT, '--reason', 'R'],
      'rpc.api-gateway.suspend-tenant',
      { tenantId: TENANT, reason: 'R' },
    ],
    [['tenants', 'resume', TENANT], 'rpc.api-gateway.resume-tenant', { tenantId: TENANT }],
    [['tenants', 'delete', TENANT, '--yes'], 'rpc.api-gateway.delete-tenant', { tenantId: TENANT }],
    [['operator-log'], 'rpc.api-gateway.get-audit-log', { tenantId: OPERATOR_LOG }],
    [['audit-log', TENANT], 'rpc.api-gateway.get-audit-log', { tenantId: TENANT }],
    [['platform-version', 'show'], 'rpc.session-worker.get-platform-version', {}],
    [
      ['platform-version', 'set', '1047769893'],
      'rpc.session-worker.set-platform-version',
      { revision: 1_047_769_893 },
    ],
    [['platform-version', 'auto'], 'rpc.session-worker.set-platform-version', { revision: null }],
    [['clock', 'set', '2030-01-01T00:00:00Z'], 'rpc.api-gateway.set-clock', { at: '2030-01-01T00:00:00Z' }],
    [['clock', 'set', 'real'], 'rpc.api-gateway.set-clock', { at: null }],
  ])('%j', async (argv, subject, body) => {
    expect(await asked(...argv)).toEqual([subject, body]);
  });
});

describe('whoever operates is named', () => {
  test.each([
    [['tenants', 'create', '--name', 'Acme', '--plan', 'STARTER']],
    [['tenants', 'suspend', TENANT]],
    [['tenants', 'resume', TENANT]],
    [['tenants', 'delete', TENANT, '--yes']],
    [['subscriptions', 'set', TENANT, 'UNPAID']],
    [['entitlements', 'set', TENANT, 'messages=5000', '--reason', 'R']],
    [['entitlements', 'clear', TENANT, 'messages']],
    [['keys', 'create', TENANT]],
    [['keys', 'revoke', TENANT, 'abcDEF012345']],
    [['platform-version', 'set', '1047769893']],
    [['platform-version', 'auto']],
  ])('in what %j asks', async (argv) => {
    expect((await askedBy('Ada Lovelace', ...argv))[1]).toMatchObject({ operator: 'Ada Lovelace' });
    await expect(askedBy('x\ny', ...argv)).rejects.toThrow(/^OPERATOR_NAME must be 1 to 64 letters/);
  });
});

describe('the operator refuses, naming the argument and the rule,', () => {
  test.each([
    [['tenants', 'create', '--plan', 'STARTER'], /^--name is missing\. Usage: tenants create --name N/],
    [
      ['tenants', 'create', '--name', 'A', '--plan', 'GOLD'],
      /plan must be one of .*STARTER, GROWTH, ENTERPRISE/,
    ],
    [['tenants', 'create', '--name', '', '--plan', 'STARTER'], /name must have 1 to /],
    [['tenants', 'list', '--hours', '1'], /^tenants list has no option --hours/],
    [['tenants', 'list', 'all'], /^"all" is one too many/],
    [[], /^No command is given\. See --help/],
    [['tenants', 'rename'], /^There is no command "tenants rename"/],
    [['tenants', 'suspend'], /^<tenantId> is missing\. Usage: tenants suspend <tenantId>/],
    [['tenants', 'suspend', '42'], /^tenantId must be a UUID/],
    [['tenants', 'resume', TENANT, '--reason', ''], /^--reason must have 1 to 500 characters/],
    [['tenants', 'delete', TENANT], /^--yes is missing: it deletes all that tenant 0198c0de/],
    [['tenants', 'delete', '42', '--yes'], /^tenantId must be a UUID/],
    [['tenants', 'list', '--colour'], /^Unknown option '--colour'\. See --help/],
    [['subscriptions', 'set', TENANT], /^<state> is missing/],
    [['subscriptions', 'set', TENANT, 'PAID'], /^state must be one of .*TRIALING, ACTIVE/],
    [['subscriptions', 'set', '42', 'ACTIVE'], /^tenantId must be a UUID/],
    [
      ['entitlements', 'set', TENANT, 'messages=5000'],
      /^--reason is missing\. Usage: entitlements set <tenantId>/,
    ],
    [
      ['entitlements', 'set', TENANT, 'messages', '--reason', 'R'],
      /^entitlement must be a name and a value, as in messages=5000, not "messages"/,
    ],
    [
      ['entitlements', 'set', TENANT, 'gold=5', '--reason', 'R'],
      /^entitlement must be one of .*sessions, messages, calls, tokens, overage, storage, pace/,
    ],
    [
      ['entitlements', 'set', TENANT, 'messages=many', '--reason', 'R'],
      /^value of messages must be a whole number from 0 to 1000000000/,
    ],
    [['entitlements', 'set', TENANT, 'sessions=-1', '--reason', 'R'], /^value of sessions must be a whole/],
    [['entitlements', 'set', TENANT, 'sessions=1001', '--reason', 'R'], /^value of sessions .* 0 to 1000/],
    [
      ['entitlements', 'set', TENANT, 'overage=1', '--reason', 'R'],
      /^value of overage must be bill or block/,
    ],
    [['entitlements', 'set', TENANT, 'calls=1', '--reason', ''], /^--reason must have 1 to /],
    [['entitlements', 'set', '42', 'calls=1', '--reason', 'R'], /^tenantId must be a UUID/],
    [['entitlements', 'clear', TENANT, 'gold'], /^entitlement must be one of/],
    [['entitlements', 'list'], /^<tenantId> is missing/],
    [['keys', 'create'], /^<tenantId> is missing\. Usage: keys create <tenantId> \[--name N\]/],
    [['keys', 'create', '42'], /^tenantId must be a UUID/],
    [['keys', 'create', TENANT, '--name', ''], /^--name must have 1 to 100/],
    [['keys', 'list', '42'], /^tenantId must be a UUID/],
    [['keys', 'revoke', TENANT], /^<kid> is missing\. Usage: keys revoke <tenantId> <kid>/],
    [['keys', 'revoke', TENANT, 'short'], /^kid must be 12 letters or digits/],
    [['keys', 'age', 'short', '--hours', '1'], /^kid must be 12 letters or digits/],
    [['keys', 'age', 'abcDEF012345', '--hours', 'many'], /hours must be a number/],
    [['keys', 'age', 'abcDEF012345', '--hours', ''], /hours must be a number/],
    [['keys', 'age', 'abcDEF012345'], /^--hours is missing/],
    [['platform-version', 'set'], /^<revision> is missing\. Usage: platform-version set <revision>/],
    [['platform-version', 'set', 'latest'], /^revision must /],
    [['platform-version', 'set', '2.3000.1047769893'], /^revision must /],
    [['database', 'grant'], /^--folder is missing\. Usage: database grant --folder F/],
    [['clock', 'set', 'tomorrow'], /^time must be in ISO 8601, such as 2026-/],
  ])('%j', async (argv, message) => {
    expect(await refusal(...argv)).toMatch(message);
  });
});

test('the folder of a stack may be named before or after the command', () => {
  expect(parseOperatorCall(['--data-dir', '/data', 'tenants', 'list'])).toMatchObject({ dataDir: '/data' });
  expect(parseOperatorCall(['tenants', 'list', '--data-dir', '/data'])).toMatchObject({
    dataDir: '/data',
    command: { words: 'tenants list' },
  });
});

test('help names all commands, or one', () => {
  const all = operatorHelp();
  for (const words of [
    'tenants create',
    'tenants list',
    'tenants suspend',
    'tenants resume',
    'tenants delete',
    'operator-log',
    'subscriptions set',
    'entitlements set',
    'entitlements list',
    'entitlements clear',
    'usage',
    'keys create',
    'keys list',
    'keys revoke',
    'keys age',
    'audit-log',
    'platform-version show',
    'platform-version set',
    'platform-version auto',
    'clock set',
    'doctor',
    'database grant',
  ]) {
    expect(all).toContain(words);
  }
  const one = operatorHelp(parseOperatorCall(['keys', 'age', '--help']).command);
  expect(one).toContain('keys age <kid> --hours N');
  expect(one).not.toContain('tenants');
});
