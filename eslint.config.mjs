import nx from '@nx/eslint-plugin';
import { createNodeResolver, importX } from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';
import comments from './tools/first-sentence.mjs';

/** Dependencies that a project may have (docs/architecture.md). Apps are never imported; contracts and sdk know nothing of ours. */
const boundaries = [
  { sourceTag: 'type:app', onlyDependOnLibsWithTags: ['type:lib', 'type:contracts', 'type:testing'] },
  {
    sourceTag: 'type:e2e',
    onlyDependOnLibsWithTags: ['type:lib', 'type:contracts', 'type:testing', 'type:sdk'],
  },
  {
    sourceTag: 'type:testing',
    onlyDependOnLibsWithTags: ['type:lib', 'type:contracts', 'scope:test-servers'],
  },
  { sourceTag: 'type:lib', onlyDependOnLibsWithTags: ['type:lib', 'type:contracts', 'scope:test-servers'] },
  { sourceTag: 'type:contracts', onlyDependOnLibsWithTags: [] },
  { sourceTag: 'type:sdk', onlyDependOnLibsWithTags: [] },
  { sourceTag: 'scope:test-servers', onlyDependOnLibsWithTags: ['scope:local-servers'] },
  { sourceTag: 'scope:database', onlyDependOnLibsWithTags: ['scope:test-servers', 'scope:local-servers'] },
  { sourceTag: 'scope:local-servers', onlyDependOnLibsWithTags: [] },
  {
    sourceTag: 'scope:messaging',
    // The last two are for its tests: users of a server, and certificates.
    onlyDependOnLibsWithTags: [
      'type:contracts',
      'scope:test-servers',
      'scope:local-servers',
      'scope:certificates',
    ],
  },
];

const NATS = { group: ['@nats-io/*'], message: 'NATS packages belong to libs/messaging.' };
const PLATFORM = {
  group: ['@whiskeysockets/baileys', 'libsignal', 'libsignal/*', '**/platform/whatsapp/*/*'],
  message: 'The platform library has one door.',
};
const ORM = { group: ['typeorm', '@nestjs/typeorm'], message: 'Controllers and consumers call a service.' };
const TESTING = {
  group: ['@svc/testing', '@svc/testing/*', '@svc/test-servers', '@svc/test-servers/*'],
  message: 'Only tests use the libs of tests.',
};

const restrict = (...patterns) => ({ 'no-restricted-imports': ['error', { patterns }] });

export default tseslint.config(
  {
    ignores: [
      '**/dist/**',
      '**/out-tsc/**',
      '**/node_modules/**',
      '.nx/**',
      '.data/**',
      '**/*.cjs',
      '**/*.js',
      '**/src/generated/**',
    ],
  },
  {
    files: ['**/*.ts', '**/*.mjs'],
    plugins: { comments },
    rules: { 'comments/first-sentence': 'error' },
  },
  ...tseslint.configs.recommended.map((rules) => ({ ...rules, files: ['**/*.ts'] })),
  {
    files: ['**/*.ts'],
    plugins: { '@nx': nx, 'import-x': importX },
    languageOptions: {
      parserOptions: {
        project: ['./tsconfig.lib.json', './tsconfig.spec.json'],
        tsconfigRootDir: process.cwd(),
      },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    settings: {
      'import-x/resolver-next': [createNodeResolver({ extensionAlias: { '.js': ['.ts', '.js'] } })],
      'import-x/extensions': ['.ts'],
      'import-x/parsers': { '@typescript-eslint/parser': ['.ts'] },
    },
    rules: {
      '@nx/enforce-module-boundaries': [
        'error',
        { depConstraints: boundaries, allowCircularSelfDependency: true },
      ],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: false } }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/no-extraneous-class': 'off',
      'import-x/first': 'error',
      'import-x/no-cycle': ['error', { ignoreExternal: true }],
      'no-console': 'error',
      'no-restricted-properties': [
        'error',
        {
          object: 'AbortSignal',
          property: 'any',
          message: 'Node may lose it: startTimeLimit of @svc/service.',
        },
      ],
      'max-lines': ['error', { max: 400 }],
      'max-lines-per-function': ['error', { max: 60 }],
      complexity: ['error', 10],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      ...restrict(NATS, PLATFORM, TESTING),
    },
  },
  {
    files: ['libs/*/src/**/*.ts', '**/libs/*/src/**/*.ts'],
    rules: { '@typescript-eslint/explicit-module-boundary-types': 'error' },
  },
  { files: ['**/*.controller.ts', '**/*.consumer.ts'], rules: restrict(NATS, PLATFORM, TESTING, ORM) },
  { files: ['libs/messaging/src/**/*.ts'], rules: restrict(PLATFORM, TESTING) },
  {
    files: ['apps/session-worker/src/platform/whatsapp/**/*.ts', 'apps/simulator/src/**/*.ts'],
    rules: restrict(NATS, TESTING),
  },
  {
    files: [
      'apps/e2e/src/**/*.ts',
      'apps/e2e/bare/**/*.ts',
      'libs/testing/src/**/*.ts',
      'libs/test-servers/src/**/*.ts',
    ],
    rules: restrict(NATS),
  },
  { files: ['**/migrations/*.ts'], rules: { 'max-lines-per-function': 'off' } },
  {
    files: ['**/*.spec.ts', '**/*.int-spec.ts', '**/*.e2e-spec.ts', '**/test/**/*.ts'],
    rules: {
      'max-lines-per-function': 'off',
      '@typescript-eslint/explicit-module-boundary-types': 'off',
      'no-restricted-imports': 'off',
    },
  },
);
