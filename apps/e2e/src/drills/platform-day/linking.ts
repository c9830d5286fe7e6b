import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '@svc/testing';
import { type Actor, createSession, expectStatus } from '../../stack/actor.js';
import type { Stack } from '../../stack/stack.js';

const LIMIT_MS = 120_000;
const LOOK_EVERY_MS = 200;

/** A session that is being linked, and the number on whose phone that is done. */
interface Link {
  stack: Stack;
  apiKey: string;
  sessionId: string;
  phone: string;
  /** Codes that were scanned: a phone scans none twice. */
  scanned: Set<string>;
}

/** The phone's side of a link with a passkey. */
export interface PasskeyOnPhone {
  stage: string;
  /** True when the phone took a proof in place of a comparison. */
  proofTaken: boolean;
}

/** Scans the code that is shown, unless it was scanned before. A phone that wants another one, or the passkey, does not link it. */
async function scan({ stack, apiKey, sessionId, phone, scanned }: Link): Promise<void> {
  const path = `/v1/sessions/${sessionId}/qr`;
  const { status, body } = await stack.api<{ qr: string }>(apiKey, 'GET', path);
  if (status !== 200 || scanned.has(body.qr)) return;
  scanned.add(body.qr);
  await stack.platform('POST', `/accounts/${phone}/scan`, { qr: body.qr });
}

/** Takes the step of a link with a passkey that is due: the browser's answer, or the comparison of the codes on both sides. */
async function givePasskey({ stack, apiKey, sessionId, phone }: Link): Promise<void> {
  const [ours, theirs] = [`/v1/sessions/${sessionId}/passkey`, `/accounts/${phone}/passkey`];
  const { body } = await stack.api<{ stage: string; options: object; code: string }>(apiKey, 'GET', ours);
  if (body.stage === 'challenge') {
    const assertion = await stack.platform('POST', `${theirs}/answer`, { options: body.options });
    expectStatus(await stack.api(apiKey, 'POST', `${ours}/response`, assertion), 200);
  }
  if (body.stage !== 'compare') return;
  const { proofTaken } = await stack.platform<PasskeyOnPhone>('GET', theirs);
  if (!proofTaken) await stack.platform('POST', `${theirs}/confirm`, { code: body.code });
  expectStatus(await stack.api(apiKey, 'POST', `${ours}/confirm`, { code: body.code }), 200);
}

/** Steps of a person towards a session in each state, until it is connected. */
const STEPS: Record<string, (link: Link) => Promise<void>> = {
  AWAITING_SCAN: scan,
  PASSKEY_REQUIRED: givePasskey,
};

/** Does what the platform wants until the session is connected. A step that fails is taken again, if it is still due. */
async function untilLinked(one: Omit<Link, 'scanned'>): Promise<void> {
  const link = { ...one, scanned: new Set<string>() };
  const path = `/v1/sessions/${link.sessionId}`;
  const isLinked = async (): Promise<boolean> => {
    await delay(LOOK_EVERY_MS);
    const { body } = await link.stack.api<{ status: string }>(link.apiKey, 'GET', path);
    await STEPS[body.status]?.(link);
    return body.status === 'CONNECTED';
  };
  await waitFor(`${link.phone} to be linked`, isLinked, LIMIT_MS);
}

/** Creates a session and links it to a number, whatever the platform wants for that. */
export async function linkPatiently(stack: Stack, apiKey: string, phone: string): Promise<string> {
  const sessionId = await createSession(stack, apiKey);
  await untilLinked({ stack, apiKey, sessionId, phone });
  return sessionId;
}

/** Links a session once more, whose owner has removed it on the phone. */
export async function linkAgain({ stack, tenant: { apiKey }, sessionId, phone }: Actor): Promise<void> {
  const path = `/v1/sessions/${sessionId}`;
  await stack.platform('POST', `/accounts/${phone}/unlink`);
  const isLoggedOut = async (): Promise<boolean> =>
    (await stack.api(apiKey, 'GET', path)).body['status'] === 'LOGGED_OUT';
  await waitFor(`${phone} to be logged out`, isLoggedOut, LIMIT_MS);
  expectStatus(await stack.api(apiKey, 'POST', `${path}/connect`), 200);
  await untilLinked({ stack, apiKey, sessionId, phone });
}
