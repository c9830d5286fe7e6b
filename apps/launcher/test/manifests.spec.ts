import { describe, expect, test } from '@jest/globals';
import { FAULTS } from './manifest-faults.js';

type Files = Record<string, string>;
/** Functions of deploy/check, which have no types. */
interface Check {
  brokenRules(files: Files): string[];
  differencesOfChart(files: Files): string[];
  staleFiles(files: Files): Promise<string[]>;
}
const { brokenRules, differencesOfChart, staleFiles } = (await import(
  '../../../deploy/check/check.mjs' as string
)) as Check;
const { deployedFiles, problemsOfDeploy } = (await import('../../../deploy/check/main.mjs' as string)) as {
  deployedFiles(): Files;
  problemsOfDeploy(files: Files): Promise<string[]>;
};

const { differencesOfSandbox } = (await import('../../../deploy/check/sandbox.mjs' as string)) as {
  differencesOfSandbox(files: Files): string[];
};

const FOLDER = 'deploy/kustomize/production';
const SANDBOX = 'deploy/kustomize/sandbox';
const LIMITS = `${FOLDER}/limits.yaml`;
const TEMPLATE = 'deploy/helm/messaging-gateway/templates/limits.yaml';
const files = deployedFiles();

/** Changes the first place in a file that has a text. */
function seed(file: string, from: string, to: string): Files {
  const text = files[file] ?? '';
  if (!text.includes(from)) throw new Error(`${file} has no "${from}".`);
  return { ...files, [file]: text.replace(from, () => to) };
}

test('what is checked in breaks no rule', async () => {
  expect(await problemsOfDeploy(files)).toEqual([]);
});

test.each(FAULTS)('$fault is named with file and line', ({ file: name, from, to, named, sentence }) => {
  const file = `${FOLDER}/${name}.yaml`;
  const seeded = seed(file, from, to);
  const problem = brokenRules(seeded).find((one) => one.includes(`: ${sentence}`)) ?? 'none';
  const [, where, line] = /^(.+?):(\d+): /.exec(problem) ?? [];
  expect(where).toBe(file);
  expect(seeded[file]?.split('\n')[Number(line) - 1]).toContain(named);
});

test('a budget of disruption that is missing is named where its pods are', () => {
  const file = `${FOLDER}/billing.yaml`;
  const documents = (files[file] ?? '').split('---\n');
  const without = documents.filter((text) => !text.includes('kind: PodDisruptionBudget')).join('---\n');
  const line = without.split('\n').indexOf('  name: billing') + 1;
  expect(brokenRules({ ...files, [file]: without })).toEqual([
    `${file}:${line}: billing has no PodDisruptionBudget: a drain of nodes may end all of its pods.`,
  ]);
});

test('a service that an overlay leaves out is named', () => {
  const list = `${FOLDER}/kustomization.yaml`;
  expect(brokenRules(seed(list, '  - billing.yaml\n', ''))).toEqual([`${list}:1: billing is missing.`]);
});

test('a page that leaves a Secret out is noticed', () => {
  const page = (files['deploy/README.md'] ?? '').replaceAll('`contact-hash`', '');
  expect(brokenRules({ ...files, 'deploy/README.md': page })).toContainEqual(
    expect.stringMatching(
      /production\/api-gateway\.yaml:\d+: the Secret contact-hash is not in deploy\/README\.md\.$/,
    ),
  );
});

test('a user of NATS whose password the example leaves out is noticed', async () => {
  const seeded = seed('deploy/examples/nats/values.yaml', 'LIMITS_PASSWORD', 'LIMIT_PASSWORD');
  expect(await problemsOfDeploy(seeded)).toEqual([
    expect.stringMatching(
      /users\.conf:\d+: deploy\/examples\/nats\/values\.yaml does not give LIMITS_PASSWORD\.$/,
    ),
  ]);
});

test('an example whose version is not pinned is noticed', async () => {
  const seeded = seed('deploy/examples/nats/values.yaml', 'tag: 2.14.2-alpine', 'tag: alpine');
  expect(await problemsOfDeploy(seeded)).toEqual([
    expect.stringMatching(/nats\/values\.yaml:\d+: an image or tag that is not pinned to a version\.$/),
  ]);
});

test('a manifest that was changed by hand is not what the source says', async () => {
  const line = (files[LIMITS] ?? '').split('\n').indexOf('  replicas: 2') + 1;
  expect(await staleFiles(seed(LIMITS, 'replicas: 2', 'replicas: 4'))).toEqual([
    `${LIMITS}:${line}: not what deploy/source says: run "npm run deploy:write".`,
  ]);
});

test('a chart that differs from the overlays is noticed, object by object', () => {
  expect(differencesOfChart(seed(TEMPLATE, 'minReadySeconds: 5', 'minReadySeconds: 6'))).toEqual(
    ['small', 'production', 'sandbox'].map(
      (name) =>
        `deploy/kustomize/${name}/limits.yaml:6: the chart has no such Deployment limits with the values of ${name}.`,
    ),
  );
});

describe('sandbox is small and the simulator', () => {
  test('object by object', () => {
    expect(differencesOfSandbox(files)).toEqual([]);
  });

  test.each([
    ['limits', 'minReadySeconds: 5', 'minReadySeconds: 6', 'Deployment limits'],
    ['api-gateway', '- name: NATS_STREAM_REPLICAS', '- name: SVC_MODE', 'Deployment api-gateway'],
    ['assistant', 'SANDBOX_LLM_URL', 'ASSISTANT_BASE_URL', 'Deployment assistant'],
    [
      'session-worker',
      'app.kubernetes.io/name: nats',
      'app.kubernetes.io/name: other',
      'NetworkPolicy session-worker',
    ],
    [
      'billing',
      '  maxUnavailable: 1\n  selector',
      '  maxUnavailable: 2\n  selector',
      'PodDisruptionBudget billing',
    ],
  ])('another %s is noticed (%s)', (app, from, to, object) => {
    const seeded = seed(`${SANDBOX}/${app}.yaml`, from, to);
    expect(differencesOfSandbox(seeded)).toEqual([
      expect.stringMatching(
        new RegExp(
          `^${SANDBOX}/${app}\\.yaml:\\d+: ${object} differs from that of small in more than the simulator\\.$`,
        ),
      ),
    ]);
  });

  test('an object that one of them alone has is noticed', async () => {
    const list = '  - media.yaml\n';
    expect(differencesOfSandbox(seed(`${SANDBOX}/kustomization.yaml`, list, ''))).toEqual([
      'deploy/kustomize/small/media.yaml:6: sandbox has no PersistentVolumeClaim media.',
    ]);
    const problems = await problemsOfDeploy(seed('deploy/kustomize/small/kustomization.yaml', list, ''));
    expect(problems).toContain(
      'deploy/kustomize/sandbox/media.yaml:6: small has no PersistentVolumeClaim media.',
    );
  });
});

const RECIPE = 'docker/Dockerfile';
const SINGLE = 'docker/single.Dockerfile';
test.each([
  [RECIPE, 'image.title=', 'image.name=', 'the image has no label org.opencontainers.image.title.'],
  [SINGLE, 'image.source=', 'image.url=', 'the image has no label org.opencontainers.image.source.'],
  [
    SINGLE,
    '"Apache-2.0"',
    '"MIT"',
    'the label org.opencontainers.image.licenses is not Apache-2.0, which package.json has.',
  ],
  [
    RECIPE,
    'image.version="${VERSION}"',
    'image.version="0.1.0"',
    'the label org.opencontainers.image.version is not the build argument VERSION.',
  ],
  [
    RECIPE,
    'ARG VERSION\n',
    '',
    'the last stage has no build argument VERSION, so the label org.opencontainers.image.version is empty.',
  ],
])('a label of an image that is wrong is named (%s: %s)', async (file, from, to, sentence) => {
  const seeded = seed(file, from, to);
  expect(await problemsOfDeploy(seeded)).toEqual([
    expect.stringMatching(new RegExp(`^${file}:\\d+: ${sentence.replaceAll('.', '\\.')}$`)),
  ]);
});

test('an image of Compose that is labelled with another version than its own is named', async () => {
  const file = 'docker/compose.yaml';
  const seeded = seed(file, 'APP: limits, VERSION: 0.1.0', 'APP: limits, VERSION: 0.0.9');
  expect(await problemsOfDeploy(seeded)).toEqual([
    expect.stringMatching(
      /compose\.yaml:\d+: limits is built with other arguments than APP limits and VERSION 0\.1\.0\.$/,
    ),
  ]);
});

test.each([
  [
    'networks: [inner, outer]',
    'networks: [inner]',
    'session-worker calls others, and is not on the network outer.',
  ],
  [
    'subpath: limits } }\n    networks: [inner]',
    'subpath: limits } }\n    networks: [inner, outer]',
    'limits calls nobody, and is on the network outer.',
  ],
])('a way out of a service of Compose that is wrong is named (%s)', async (from, to, sentence) => {
  const seeded = seed('docker/compose.yaml', from, to);
  expect(await problemsOfDeploy(seeded)).toEqual([
    expect.stringMatching(new RegExp(`^docker/compose\\.yaml:\\d+: ${sentence}$`)),
  ]);
});

test('templates use nothing but values, if and range', () => {
  const seeded = seed(TEMPLATE, '.Values.limits.image', '.Values.limits.image | quote');
  expect(() => differencesOfChart(seeded)).toThrow(
    '{{ .Values.limits.image | quote }} is neither a value, nor if, nor range.',
  );
});
