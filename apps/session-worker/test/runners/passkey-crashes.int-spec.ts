import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  AnswerPasskey,
  ConfirmPasskey,
  GetPasskey,
  type PasskeyAssertion,
  type PasskeyView,
} from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { LONG_MS, type Stage } from '../support.js';
import { WorkerProcess } from '../worker-process.js';

let stage: Stage;
let worker: WorkerProcess;
let lastPhone = 15550121000;

beforeAll(async () => {
  ({ stage, worker } = await WorkerProcess.stage({ LEASE_MS: '3000', LOG_LEVEL: 'debug' }));
});
afterAll(() => stage.stop());

interface Link {
  sessionId: string;
  phone: string;
}

const refOf = ({ sessionId }: Link) => ({ tenantId: stage.tenantId, sessionId });
const view = (link: Link): Promise<PasskeyView> => worker.rpc.request(GetPasskey, refOf(link), LONG_MS);
const phone = <T>({ phone: number }: Link, method: string, rest: string, body?: object): Promise<T> =>
  stage.platform.call<T>(method, `/accounts/${number}/passkey${rest}`, body);

const refusalOf = (asked: Promise<unknown>): Promise<string | undefined> =>
  asked.then(
    () => undefined,
    ({ code }: { code?: string }) => code,
  );

/** Scans as a person does: a code that the dead worker showed is refused, and the next one is scanned. */
async function ask(link: Link): Promise<void> {
  const scanned = async (): Promise<string> => {
    const qr = await stage.qr(link.sessionId);
    return stage.platform.call('POST', `/accounts/${link.phone}/scan`, { qr }).then(String, String);
  };
  const refusal = await waitFor(
    'a code that holds',
    async () => {
      const answer = await scanned();
      return !answer.includes('QR_EXPIRED') && answer;
    },
    LONG_MS,
  );
  expect(refusal).toContain('PASSKEY_REQUIRED');
}

async function scan(link: Link): Promise<void> {
  await ask(link);
  await stage.reached(link.sessionId, 'PASSKEY_REQUIRED');
}

async function answer(link: Link): Promise<PasskeyAssertion> {
  const { options } = await view(link);
  const assertion = await phone<PasskeyAssertion>(link, 'POST', '/answer', { options });
  await worker.rpc.request(AnswerPasskey, { ...refOf(link), assertion }, LONG_MS);
  return assertion;
}

async function compare(link: Link): Promise<string> {
  await answer(link);
  const now = await waitFor(
    'the code',
    async () => {
      const { stage: step, code } = await view(link);
      return step === 'compare' && code;
    },
    LONG_MS,
  );
  return now;
}

async function confirm(link: Link): Promise<string> {
  const code = await compare(link);
  await worker.rpc.request(ConfirmPasskey, { ...refOf(link), code }, LONG_MS);
  return code;
}

/** Part of the people in a link, as far as the worker lives: it dies of what is not awaited here. */
type Part = (link: Link) => Promise<unknown>;

const scans: Part = ask;
const answers: Part = async (link) => {
  await scan(link);
  const { options } = await view(link);
  const assertion = await phone<PasskeyAssertion>(link, 'POST', '/answer', { options });
  void worker.rpc.request(AnswerPasskey, { ...refOf(link), assertion }, LONG_MS).catch(() => undefined);
};
const confirms: Part = async (link) => {
  await scan(link);
  const code = await compare(link);
  void worker.rpc.request(ConfirmPasskey, { ...refOf(link), code }, LONG_MS).catch(() => undefined);
};
const confirmsOnBoth: Part = async (link) => {
  await scan(link);
  await phone(link, 'POST', '/confirm', { code: await confirm(link) });
};

test.each<[string, string, Part]>([
  ['it is asked for the passkey', 'link-1', scans],
  ['it has acknowledged that', 'link-2', scans],
  ['it has the answer of the browser', 'link-3', answers],
  ['it has the reference', 'link-4', answers],
  ['the platform has taken the answer', 'link-5', answers],
  ['the phone goes on', 'link-6', answers],
  ['its commitment is open', 'link-7', answers],
  ['a person has confirmed the code', 'link-8', confirms],
  ['the platform has taken its keys', 'link-9', confirms],
  ['the platform has linked it', 'link-10', confirmsOnBoth],
])('a worker that dies when %s leaves a clear state, and a second try works', async (_when, step, people) => {
  const number = String(++lastPhone);
  await stage.platform.call('PUT', `/accounts/${number}/linking`, { passkey: 'always' });
  const link = { sessionId: await stage.create(), phone: number };
  await worker.kill();
  await worker.start({ step, times: 1 });
  await people(link);
  await worker.died();
  await worker.start();
  // Tenants hear the end of what they heard to be under way.
  const told = people === scans ? [] : [{ stage: 'failed', reason: 'CONNECTION_LOST' }];
  const ends = () => stage.eventsOf('session.passkey_changed', link.sessionId).filter(({ reason }) => reason);
  await waitFor('the end', () => ends().length === told.length, LONG_MS);
  expect(ends()).toMatchObject(told);
  await waitFor('no link', async () => (await refusalOf(view(link))) === 'PASSKEY_NOT_FOUND', LONG_MS);
  await stage.change(link.sessionId, 'connect');
  await scan(link);
  const code = await confirm(link);
  await phone(link, 'POST', '/confirm', { code });
  await stage.reached(link.sessionId, 'CONNECTED');
});

test('nothing of a link with a passkey is in the log', async () => {
  const number = String(++lastPhone);
  await stage.platform.call('PUT', `/accounts/${number}/linking`, { passkey: 'always' });
  const link = { sessionId: await stage.create(), phone: number };
  await scan(link);
  const { options } = await view(link);
  const assertion = await answer(link);
  const { code } = await waitFor(
    'the code',
    async () => {
      const now = await view(link);
      return now.stage === 'compare' && now;
    },
    LONG_MS,
  );
  const { clientDataJSON, signature } = assertion.response;
  for (const secret of [String(options['challenge']), clientDataJSON, signature, String(code)])
    expect(worker.log()).not.toContain(secret);
});
