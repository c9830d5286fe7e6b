import { waitFor, type WebhookReceiver } from '@svc/testing';
import { type Actor, inventPhone } from '../../stack/actor.js';
import type { Stack } from '../../stack/stack.js';
import { linkAgain, type PasskeyOnPhone } from './linking.js';

const DAY_S = 86_400;
/** Revision that the platform asks of accounts that take no older one; the library's is older. */
const NEWER_REVISION = 1_045_000_000;
const TOLD_LIMIT_MS = 60_000;

/** A number of a cohort at the end of the day. */
export interface Played {
  actor: Actor;
  /** Phones of its contacts. */
  contacts: ReadonlySet<string>;
  receiver: WebhookReceiver;
}

/** Accounts that platform, phone or contacts treat alike (docs/platform-protocol.md). */
export interface Cohort {
  name: string;
  /** Makes phone and platform so, before the number is linked. */
  before?(stack: Stack, phone: string): Promise<unknown>;
  /** Makes them so when it is linked. */
  after?(actor: Actor): Promise<unknown>;
  /** Makes what a contact posts to write this text, without its recipient. */
  written?(text: string): object;
  /** True where the contacts are known by their hidden addresses alone. */
  isHidden?: true;
  /** Says whether it was so all day: a drill that has not played it has shown nothing. */
  played?(day: Played): Promise<boolean>;
}

/** Makes rules of linking for a number. */
const linking =
  (rules: object) =>
  (stack: Stack, phone: string): Promise<unknown> =>
    stack.platform('PUT', `/accounts/${phone}/linking`, rules);

/** Says whether a device was linked with the passkey, with or without a proof in place of a comparison. */
const withPasskey =
  (proof: boolean) =>
  async ({ actor: { stack, phone } }: Played): Promise<boolean> => {
    const { stage, proofTaken } = await stack.platform<PasskeyOnPhone>('GET', `/accounts/${phone}/passkey`);
    return stage === 'linked' && proofTaken === proof;
  };

/** Says whether the device was told so often to draw its code anew, and acknowledged each. */
const redrawn =
  (times: number) =>
  async ({ actor: { stack, phone } }: Played): Promise<boolean> => {
    const { notices } = await stack.platform<{ notices: { type: string; acked: boolean }[] }>(
      'GET',
      `/accounts/${phone}/linking`,
    );
    const orders = notices.filter(({ type }) => type === 'companion_reg_refresh');
    return orders.length === times && orders.every(({ acked }) => acked);
  };

/** Restricts a number, and waits until its tenant can see that. */
const restricting =
  (restrictions: object) =>
  async (actor: Actor): Promise<void> => {
    await actor.stack.platform('PUT', `/accounts/${actor.phone}/restrictions`, restrictions);
    const isTold = async (): Promise<boolean> =>
      (await actor.api('GET', `/v1/sessions/${actor.sessionId}`)).body['restriction'] != null;
    await waitFor('the restriction to be told', isTold, TOLD_LIMIT_MS);
  };

/** Says whether the number may still begin no chat, for this reason. */
const isRefused =
  (reason: string) =>
  async ({ actor }: Played): Promise<boolean> => {
    const { status, body } = await actor.send(inventPhone(), 'to a stranger');
    return status === 429 && (body['meta'] as { reason?: string }).reason === reason;
  };

/** Has an account refused with an older revision, and its latest one named where clients look for it. */
async function refuseOlder(stack: Stack, phone: string): Promise<void> {
  await stack.platform('PUT', '/versions', { swRevision: NEWER_REVISION, pageRevision: NEWER_REVISION });
  await stack.platform('POST', '/accounts', { phone });
  await stack.platform('PUT', `/accounts/${phone}/faults`, { loginFloor: NEWER_REVISION });
}

async function isOfNewerRevision({ actor: { stack, phone } }: Played): Promise<boolean> {
  const { devices } = await stack.platform<{ devices: { revision: number }[] }>('GET', `/accounts/${phone}`);
  return devices.length === 1 && devices[0]?.revision === NEWER_REVISION;
}

/** Says whether all that the contacts were told in came from nobody with a number. */
async function wereHidden({ actor: { sessionId }, receiver }: Played): Promise<boolean> {
  const received = receiver
    .bodies()
    .filter(({ event, payload }) => event === 'message.received' && payload['sessionId'] === sessionId);
  return received.length > 0 && received.every(({ payload: { phone } }) => phone === null);
}

/** Says whether all that the contacts got disappears from their phones, as what they write does. */
async function disappears({ actor: { stack, phone }, contacts }: Played): Promise<boolean> {
  const inboxes = await Promise.all(
    [...contacts].map((contact) =>
      stack.platform<{ items: { content: { disappearsAfter?: number } }[] }>(
        'GET',
        `/contacts/${contact}/messages?from=${phone}`,
      ),
    ),
  );
  const got = inboxes.flatMap(({ items }) => items);
  return got.length > 0 && got.every(({ content }) => content.disappearsAfter === DAY_S);
}

const tomorrow = (): string => new Date(Date.now() + DAY_S * 1_000).toISOString();

/** List of the ways in which the platform of the day treats an account. */
export const COHORTS: readonly Cohort[] = [
  { name: 'passkey', before: linking({ passkey: 'always' }), played: withPasskey(false) },
  {
    name: 'passkey when linked again',
    async after(actor) {
      await linking({ passkey: 'always', acceptProof: true })(actor.stack, actor.phone);
      await linkAgain(actor);
    },
    played: withPasskey(true),
  },
  { name: 'code drawn anew', before: linking({ refreshOnScan: 1 }), played: redrawn(1) },
  {
    name: 'code drawn anew twice',
    before: linking({ refreshOnScan: 2, refreshChild: 'pair-device-rotate-qr' }),
    played: redrawn(2),
  },
  { name: 'old version refused', before: refuseOlder, played: isOfNewerRevision },
  {
    name: 'contacts without a number',
    isHidden: true,
    written: (text) => ({ text, attributes: { sender_pn: null } }),
    played: wereHidden,
  },
  {
    name: 'restricted',
    after: (actor) => restricting({ timelock: { until: tomorrow() } })(actor),
    played: isRefused('ACCOUNT_RESTRICTED'),
  },
  {
    name: 'new chats used up',
    after: (actor) => restricting({ newChats: { quota: 10, used: 10, cycleEnd: tomorrow() } })(actor),
    played: isRefused('NEW_CHAT_QUOTA'),
  },
  {
    name: 'disappearing',
    written: (text) => ({ content: { type: 'text', text, disappearsAfter: DAY_S } }),
    played: disappears,
  },
  { name: 'hosted contacts', written: (text) => ({ text, addressing: 'hosted' }) },
];
