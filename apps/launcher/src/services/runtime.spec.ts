import { describe, expect, test } from '@jest/globals';
import { runtimeOf } from './runtime.js';

/** A function of the build, which has no types. */
type Build = { problemsOf: (runtime: object, config: object) => string[] };
const { problemsOf } = (await import('../../../../tools/runtime/runtime.mjs' as string)) as Build;
const { configOf } = (await import('../../../../tools/variables.mjs' as string)) as {
  configOf: (app: string) => Promise<object>;
};

const LIMITS = {
  graceSeconds: 15,
  ports: { OPS_PORT: 8081 },
  needs: ['DATABASE_URL', 'NATS_URL', 'NATS_USER', 'NATS_PASSWORD', 'CONTACT_HASH_KEY'],
};
const problemsWith = async (change: object): Promise<string[]> =>
  problemsOf({ ...LIMITS, ...change }, await configOf('limits'));

describe('the table of how an app runs', () => {
  test('is whole where it names what the app reads, needs and listens on', async () => {
    expect(await problemsWith({})).toEqual([]);
  });

  test('names variables that the app reads', async () => {
    expect(await problemsWith({ needs: [...LIMITS.needs, 'KEY_PEPER'] })).toEqual([
      'KEY_PEPER is no variable of this app (docs/configuration.md)',
    ]);
    expect(await problemsWith({ folders: { MEDIA_DIR: '/media' } })).toEqual([
      'MEDIA_DIR is no variable of this app (docs/configuration.md)',
    ]);
  });

  test('names all variables without which the app does not start', async () => {
    expect(await problemsWith({ needs: LIMITS.needs.filter((name) => name !== 'DATABASE_URL') })).toEqual([
      'DATABASE_URL is in neither needs nor folders, and the app does not start without it',
    ]);
  });

  test('has the ports that the app listens on by default', async () => {
    expect(await problemsWith({ ports: { OPS_PORT: 80 } })).toEqual(['OPS_PORT is 8081 by default, not 80']);
  });

  test('has no fields of its own, and flags of the form that Node.js has', async () => {
    expect(await problemsWith({ grace: 3 })).toEqual(['the table must NOT have additional properties']);
    expect(await problemsWith({ nodeFlags: ['rm -rf'] })).toEqual([
      expect.stringMatching(/^\/nodeFlags\/0 must match pattern/),
    ]);
  });
});

test('a service that is built has its table beside its bundle, with the variables that it reads', () => {
  expect(runtimeOf('api-gateway')).toMatchObject({
    nodeFlags: ['--max-semi-space-size=64', '--heap-growing-percent=100'],
    graceSeconds: 30,
    variables: expect.arrayContaining(['KEY_PEPPER', 'KEY_PEPPER_FILE']),
  });
});
