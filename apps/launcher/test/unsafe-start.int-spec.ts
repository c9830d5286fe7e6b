import { expect, test } from '@jest/globals';
import { programOf, SERVICES, SIMULATOR } from '../src/services/services.js';
import { run } from './launcher.js';

/** Keys that somebody has typed for a first try: 32 bytes in base64, and words. */
const TYPED = { sealing: `${'A'.repeat(43)}=`, words: 'development '.repeat(4).trim() };

/** Variables of a production without TLS, without credentials and with typed keys. */
const UNSAFE = {
  DATABASE_URL: 'postgres://svc:hidden@db.example.com/svc',
  NATS_URL: 'nats://nats.example.com:4222',
  ...{ CREDENTIALS_KEY: TYPED.sealing, SECRETS_KEY: TYPED.sealing },
  ...{ KEY_PEPPER: TYPED.words, CONTACT_HASH_KEY: TYPED.words },
  MEDIA_DIR: '/media',
};

const KEYS: Record<string, string[]> = {
  assistant: ['CONTACT_HASH_KEY', 'SECRETS_KEY'],
  billing: [],
  limits: ['CONTACT_HASH_KEY'],
  'session-worker': ['CONTACT_HASH_KEY', 'CREDENTIALS_KEY'],
  'webhook-dispatcher': ['CONTACT_HASH_KEY', 'SECRETS_KEY'],
  'api-gateway': ['CONTACT_HASH_KEY', 'KEY_PEPPER'],
};

/** Starts the program of an app, which has to refuse these variables; returns what it says, line by line. */
async function refusalOf(name: string, env: Record<string, string>): Promise<string[]> {
  const { code, stderr } = await run([process.execPath, programOf(name, 'main')], env);
  expect(code).toBe(1);
  const [head, ...lines] = stderr.trim().split('\n  ');
  expect(head).toBe(`${name} cannot start. Wrong configuration:`);
  return lines.sort();
}

test.each(SERVICES.map(({ name }) => name))(
  '%s refuses a production without TLS, without credentials and with typed keys: all in one answer, and no value of it',
  async (name) => {
    const lines = await refusalOf(name, UNSAFE);
    const wanted = [
      ...(KEYS[name] ?? []).map((key) => `^${key} must be random: .*openssl rand`),
      '^DATABASE_URL must end in \\?sslmode=verify-full, .* PLAINTEXT_HOSTS',
      '^NATS_URL must be given with NATS_USER and .*; NATS_URL must be tls:// .* PLAINTEXT_HOSTS',
    ];
    expect(lines).toEqual(wanted.sort().map((pattern) => expect.stringMatching(pattern)));
    for (const value of ['hidden', TYPED.sealing, TYPED.words]) expect(lines.join()).not.toContain(value);
  },
);

test('the simulator refuses the seed that everybody knows', async () => {
  const env = { SIMULATOR_SEED: 'local platform', SIMULATOR_STATE_FILE: '/nowhere' };
  expect(await refusalOf(SIMULATOR, env)).toEqual([
    'SIMULATOR_SEED must be a secret: everybody knows this one',
  ]);
});
