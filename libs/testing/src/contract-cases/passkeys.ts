import assert from 'node:assert/strict';
import {
  AnswerPasskey,
  ConfirmPasskey,
  GetPasskey,
  GiveUpPasskey,
  type PasskeyAssertion,
  type PasskeyView,
  type SessionRef,
} from '@svc/contracts';
import { waitFor } from '@svc/test-servers';
import {
  assertFields,
  assertRefused,
  type ContractCase,
  type ContractWorld,
  plain,
} from './contract-case.js';
import { PATIENCE_MS } from './sessions.js';

/** A session whose link waits for the passkey of an account, and those who take part in it. */
export interface AskedLink {
  ref: SessionRef;
  /** Answers the challenge as the browser of the owner does. */
  assertionFor(options: object): Promise<PasskeyAssertion>;
  /** Has the phone go on, once it has that answer. */
  goOn(): Promise<void>;
}

/** The world of these cases: the platform wants passkeys in it. */
export interface PasskeyWorld extends ContractWorld {
  asked(): Promise<AskedLink>;
}

const WRONG_CODE = 'ABCD-9999';

const view = ({ rpc }: ContractWorld, ref: SessionRef): Promise<PasskeyView> =>
  rpc.request(GetPasskey, ref, PATIENCE_MS);

/** Hands in the answer of the browser, and waits for the code; returns it. */
async function compared(world: PasskeyWorld, { ref, assertionFor, goOn }: AskedLink): Promise<string> {
  const assertion = await assertionFor((await view(world, ref)).options);
  const { stage } = await world.rpc.request(AnswerPasskey, { ...ref, assertion }, PATIENCE_MS);
  // The phone may be fast.
  assert.ok(['sent', 'compare'].includes(stage), stage);
  await goOn();
  const isShown = async (): Promise<string | null> => (await view(world, ref)).code;
  return waitFor('the code', isShown, PATIENCE_MS);
}

const CASES: readonly ContractCase<PasskeyWorld>[] = [
  {
    name: 'a session whose account wants a passkey shows the challenge, and nothing to confirm yet',
    run: async (world) => {
      const { ref } = await world.asked();
      const { expiresAt, options, ...shown } = await view(world, ref);
      assert.deepEqual(plain(shown), { stage: 'challenge', code: null });
      assert.equal(typeof options['challenge'], 'string');
      assert.ok(Date.parse(expiresAt) > Date.now() - 1_000, 'it can be answered for a while');
      const confirmation = { ...ref, code: WRONG_CODE };
      await assertRefused(world, ConfirmPasskey, confirmation, 'PASSKEY_CONFLICT', { stage: 'challenge' });
    },
  },
  {
    name: 'once the browser has answered, a code is shown, and the platform gets the rest when that is confirmed',
    run: async (world) => {
      const link = await world.asked();
      const { ref } = link;
      const code = await compared(world, link);
      assert.match(code, /^[A-Z0-9]{4}-[A-Z0-9]{4}$/);
      await assertRefused(world, ConfirmPasskey, { ...ref, code: WRONG_CODE }, 'VALIDATION_FAILED');
      const confirmed = await world.rpc.request(ConfirmPasskey, { ...ref, code }, PATIENCE_MS);
      assertFields(confirmed, { stage: 'finishing', code });
    },
  },
  {
    name: 'a link that was given up has ended, and says so',
    run: async (world) => {
      const { ref } = await world.asked();
      assert.deepEqual(plain(await world.rpc.request(GiveUpPasskey, ref, PATIENCE_MS)), {});
      await assertRefused(world, GetPasskey, ref, 'PASSKEY_ENDED', { reason: 'GIVEN_UP' });
    },
  },
];

/** Contract cases of `session-worker`: links for which the platform wants the passkey of the account. */
export const passkeyCases: readonly ContractCase<PasskeyWorld>[] = [...CASES];
