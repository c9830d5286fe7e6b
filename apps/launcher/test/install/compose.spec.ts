import { expect, test } from '@jest/globals';

type Files = Record<string, string>;
/** Functions of deploy/check, which have no types. */
const { wrongCompose } = (await import('../../../../deploy/check/compose.mjs' as string)) as {
  wrongCompose(files: Files): string[];
};
const { deployedFiles } = (await import('../../../../deploy/check/main.mjs' as string)) as {
  deployedFiles(): Files;
};

const { imageOf } = (await import('../../../../deploy/source/services.mjs' as string)) as {
  imageOf(app: string): string;
};

/** Image of `limits` in the version that it has now. */
const LIMITS = imageOf('limits');
const MAIN = 'docker/compose.yaml';
const SANDBOX = 'docker/compose.sandbox.yaml';
const files = deployedFiles();

/** Changes the first place in a file that has a text, and says what the check makes of it. */
function problemsWith(file: string, from: string, to: string): string[] {
  const text = files[file] ?? '';
  if (!text.includes(from)) throw new Error(`${file} has no "${from}".`);
  return wrongCompose({ ...files, [file]: text.replace(from, () => to) });
}
const lineOf = (text: string, file = MAIN): number => (files[file] ?? '').split('\n').indexOf(text) + 1;

test('what is checked in breaks no rule', () => {
  expect(wrongCompose(files)).toEqual([]);
});

test.each([
  ['another version of a service', ...[LIMITS, 'svc/limits:9.9.9', `the image of limits is not ${LIMITS}.`]],
  [
    'flags that its table does not have',
    ...['max-semi-space-size=64', 'max-semi-space-size=32'],
    'api-gateway is started with other arguments than apps/api-gateway/runtime.json has.',
  ],
  [
    'an end before its time',
    ...['stop_grace_period: 90s', 'stop_grace_period: 10s'],
    'session-worker is killed before the 90 s that it may take to end.',
  ],
  [
    'a key that is missing',
    ...['      SECRETS_KEY_FILE: /run/svc/SECRETS_KEY\n', ''],
    'webhook-dispatcher is not given SECRETS_KEY, which apps/webhook-dispatcher/runtime.json says that it needs.',
  ],
  [
    'a variable that nobody reads',
    ...['NATS_USER: limits', 'NATS_USER: limits\n      NATS_USR: limits'],
    'limits has no variable NATS_USR (docs/configuration.md).',
  ],
  [
    'a secret in the file',
    ...['KEY_PEPPER_FILE: /run/svc/KEY_PEPPER', 'KEY_PEPPER: pepper'],
    'KEY_PEPPER of api-gateway is secret and stands in the file.',
  ],
  [
    'a folder without a volume',
    ...['media:/var/lib/svc/media', 'media:/media'],
    'api-gateway writes to /var/lib/svc/media, where no volume is mounted.',
  ],
])('%s is named with file and line', (_, from, to, sentence) => {
  const app = sentence?.match(/\b(api-gateway|session-worker|webhook-dispatcher|limits)\b/)?.[0];
  expect(problemsWith(MAIN, from as string, to as string)).toContain(
    `${MAIN}:${lineOf(`  ${app}:`)}: ${sentence}`,
  );
});

test.each([
  [
    'postgres:18.4-bookworm',
    'postgres:18',
    'postgres',
    'the image postgres:18 of postgres is not pinned to a version.',
  ],
  ['nats:2.14.2-alpine', 'nats:latest', 'nats', 'the image nats:latest of nats is not pinned to a version.'],
])('%s without its version is named', (from, to, service, sentence) => {
  expect(problemsWith(MAIN, from, to)).toEqual([`${MAIN}:${lineOf(`  ${service}:`)}: ${sentence}`]);
});

test('a health check that asks nobody is named for each service', () => {
  const problems = problemsWith(MAIN, ':8081/health/ready', ':8081/health');
  expect(problems).toHaveLength(6);
  expect(problems[0]).toMatch(/the health check of api-gateway does not ask OPS_PORT whether it is ready\.$/);
});

test('rights that containers do not need are named', () => {
  const problems = problemsWith(MAIN, 'cap_drop: [ALL]', 'cap_drop: []');
  expect(problems).toContain(`${MAIN}:${lineOf('  billing:')}: billing does not drop all capabilities.`);
});

test('a login that does not wait for its schema is named', () => {
  const line = '      limits-migration: { condition: service_completed_successfully }\n';
  expect(problemsWith(MAIN, line, '')).toEqual([
    `${MAIN}:${lineOf('  logins:')}: logins do not wait for limits-migration.`,
  ]);
});

test('a secret that stands anywhere in the file is named', () => {
  const problems = problemsWith(MAIN, 'POSTGRES_USER: svc', 'URL: postgres://svc:hidden@postgres/svc');
  expect(problems).toEqual([expect.stringMatching(/compose\.yaml:\d+: a value that looks like a secret\.$/)]);
});

test('the simulator has the variables of its own table', () => {
  expect(problemsWith(SANDBOX, 'SIMULATOR_HOST: simulator', 'SIMULATOR_HOSTS: simulator')).toEqual([
    `${SANDBOX}:${lineOf('  simulator:', SANDBOX)}: simulator has no variable SIMULATOR_HOSTS (docs/configuration.md).`,
  ]);
});
