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

async function scan(link: Link): Promise<void> {
  const qr = await stage.qr(link.sessionId);
  const scanned = stage.platform.call('POST', `/accounts/${link.phone}/scan`, { qr });
  await expect(scanned).rejects.toThrow('PASSKEY_REQUIRED');
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

test.each<[string, (link: Link) => Promise<unknown>]>([
  ['when the platform has asked for the passkey', async () => undefined],
  ['when the platform has the answer of the browser', answer],
  ['when both screens show the code', compare],
  ['when it has sent its keys, and the phone has not linked it', confirm],
])('a worker that dies %s leaves a clear state, and a second try works', async (_when, goOn) => {
  const number = String(++lastPhone);
  await stage.platform.call('PUT', `/accounts/${number}/linking`, { passkey: 'always' });
  const link = { sessionId: await stage.create(), phone: number };
  await scan(link);
  await goOn(link);
  await worker.kill();
  await worker.start();
  const ends = () => stage.eventsOf('session.passkey_changed', link.sessionId).filter(({ reason }) => reason);
  await waitFor('the end', () => ends().length > 0, LONG_MS);
  expect(ends()).toMatchObject([{ stage: 'failed', reason: 'CONNECTION_LOST' }]);
  await expect(view(link)).rejects.toMatchObject({ code: 'PASSKEY_NOT_FOUND' });
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
