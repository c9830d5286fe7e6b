import { channel } from 'node:diagnostics_channel';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { MessageFailure, RestrictionReason } from '@svc/contracts';
import { NoAnswerError } from '../platform/errors.js';
import type { OutgoingMessage } from '../platform/messages.js';
import type { PlatformSocket } from '../platform/port.js';
import { STEPS_CHANNEL } from '../steps.js';
import { FileError } from './ledger/failures.js';
import type { Claim, LedgerMessage } from './ledger/ledger.js';
import { SessionSender } from './session-sender.js';

const ACK_MS = 20_000;
const scope = { sessionId: 'session', fence: { partition: 1, epoch: 1 } };

const message = (name: string, more: Partial<LedgerMessage> = {}): LedgerMessage => ({
  ...{ jobId: name, keyId: `key-${name}`, sessionId: 'session', tenantId: 'tenant', to: `chat of ${name}` },
  content: { type: 'text', text: name },
  ...{
    acceptedAt: new Date(),
    uploaded: null,
    requestedTo: null,
    mayBeSent: false,
    onlyInMode: null,
    isOutOfMode: false,
    unlessWrittenSince: null,
    ...more,
  },
});

/** The table, as far as a sender sees it: what is open, and what became of the others. */
let open: LedgerMessage[];
let outcomes: string[];
/** Number of messages that each claim asked for. */
let claims: number[];
let attached: Map<string, SessionSender>;
/** Errors of the next claims and writes, in order; without one they succeed. */
let claimErrors: Error[];
let writeErrors: Error[];
let fileErrors: Error[];
/** The failure that was written last. */
let failed: MessageFailure;
/** Says whether a message may go out. */
let refusalOf: () => Promise<RestrictionReason | undefined>;
let sender: SessionSender;

const written = async (jobId: string | undefined, outcome: string): Promise<void> => {
  const error = writeErrors.shift();
  if (error) throw error;
  open = open.filter((one) => one.jobId !== jobId);
  outcomes.push(`${jobId} ${outcome}`);
};

const claim = async ({ limit, exceptJobs, exceptChats }: Claim): Promise<LedgerMessage[]> => {
  claims.push(limit);
  const error = claimErrors.shift();
  if (error) throw error;
  return open
    .filter(({ jobId, to }) => !exceptJobs.includes(jobId) && !exceptChats.includes(to))
    .slice(0, limit);
};

beforeEach(() => {
  jest.useFakeTimers();
  [open, outcomes, claims, attached] = [[], [], [], new Map()];
  [claimErrors, writeErrors, fileErrors] = [[], [], []];
  refusalOf = async () => undefined;
  sender = new SessionSender({
    ...{ scope, attached, expiryMs: 60_000, ackTimeoutMs: ACK_MS },
    ledger: {
      claim,
      fail: async (_scope, jobIds, failure: MessageFailure) => {
        failed = failure;
        await written(jobIds?.[0], `FAILED ${failure.code}`);
      },
      keepUpload: async (_scope, jobId, uploaded) => {
        open = open.map((one) => (one.jobId === jobId ? { ...one, uploaded } : one));
      },
      endUntold: async (_scope, jobId) => written(jobId, 'UNTOLD'),
      isDeleted: async () => false,
      isOvertaken: async () => false,
      readdress: async (_scope, jobId, to) => {
        open = open.map((one) => (one.jobId === jobId ? { ...one, to } : one));
      },
    },
    receipts: { record: async ({ keyId, status }) => written(keyId.replace('key-', ''), status) },
    newChats: { refusalOf: () => refusalOf(), refused: () => undefined },
    files: {
      upload: () => {
        const error = fileErrors.shift();
        const uploaded = error ? Promise.reject(error) : Promise.resolve(Buffer.from('file'));
        return { uploaded, ended: Promise.resolve() };
      },
    },
  });
});
afterEach(() => {
  sender.detach();
  jest.useRealTimers();
});

/** Makes a socket that notes the messages handed to it; `answer` says how each hand-over ends. */
function aSocket(answer: (message: OutgoingMessage) => Promise<void> = async () => undefined) {
  const sent: string[] = [];
  const recycled: string[] = [];
  const send = (one: OutgoingMessage) => (sent.push(one.keyId), answer(one));
  const addressOf = async (to: string) => to;
  const unanswered = (): void => undefined;
  const socket = { addressOf, send, unanswered, recycle: (reason: string) => void recycled.push(reason) };
  return { socket: socket as unknown as PlatformSocket, sent, recycled };
}

const pass = (ms = 0): Promise<void> => jest.advanceTimersByTimeAsync(ms);
const ack = async (...names: string[]): Promise<void> => {
  for (const name of names) sender.listener.onAck(`key-${name}`, undefined);
  await pass();
};

test('a claim that fails makes the sending pause for a second', async () => {
  open = [message('a')];
  claimErrors = [new Error('no database')];
  const { socket, sent } = aSocket();
  sender.attach(socket);
  await pass(999);
  expect([sent, claims.length]).toEqual([[], 1]);
  await pass(1);
  expect(sent).toEqual(['key-a']);
  expect(await sender.inHand()).toEqual(['a']);
});

test('whoever asks what is in hand gets an answer also while a claim fails', async () => {
  claimErrors = [new Error('no database')];
  sender.attach(aSocket().socket);
  await expect(sender.inHand()).resolves.toEqual([]);
});

test('nothing is claimed while there is no room, nor again and again where nothing waits', async () => {
  open = Array.from({ length: 20 }, (_, i) => message(`m${i}`));
  sender.attach(aSocket().socket);
  await pass();
  expect(claims).toEqual([20]);
  sender.wake();
  await pass(5_000);
  expect(claims).toEqual([20]);
  await ack(...Array.from({ length: 20 }, (_, i) => `m${i}`));
  const before = claims.length;
  await pass(60_000);
  expect(claims.length).toBe(before);
  expect(Math.min(...claims)).toBeGreaterThan(0);
});

test('a socket that breaks while a message is looked at gets neither it nor those behind it', async () => {
  open = [message('a'), message('b')];
  let answer: () => void = () => undefined;
  refusalOf = () => new Promise((resolve) => (answer = () => resolve(undefined)));
  const first = aSocket();
  sender.attach(first.socket);
  await pass();
  refusalOf = async () => undefined;
  const second = aSocket();
  sender.attach(second.socket);
  answer();
  await pass();
  expect(first.sent).toEqual([]);
  expect(second.sent).toEqual(['key-a', 'key-b']);
});

test('a sender that lets go of its socket leaves the one in its place alone', () => {
  sender.attach(aSocket().socket);
  const other = {} as SessionSender;
  attached.set('session', other);
  sender.detach();
  expect(attached.get('session')).toBe(other);
});

test('an acknowledgement may be faster than the end of the hand-over', async () => {
  open = [message('a')];
  let handedOver: () => void = () => undefined;
  const { socket, sent, recycled } = aSocket(() => new Promise((resolve) => (handedOver = resolve)));
  sender.attach(socket);
  await pass();
  await ack('a');
  handedOver();
  await pass(ACK_MS * 3);
  expect([sent, outcomes, recycled]).toEqual([['key-a'], ['a SENT'], []]);
});

test('an acknowledgement of what nobody remembers is written, a refusal of it is not', async () => {
  sender.attach(aSocket().socket);
  sender.listener.onAck('key-refused', { detail: 'platform error 479', isOfNewChat: false });
  await ack('taken');
  expect(outcomes).toEqual(['taken SENT']);
});

test('one acknowledgement that is missing is the message’s, two in a row are the socket’s', async () => {
  open = [message('a')];
  const { socket, recycled } = aSocket();
  sender.attach(socket);
  await pass(ACK_MS);
  expect(recycled).toEqual([]);
  await pass(ACK_MS);
  expect(recycled).toEqual(['UNANSWERED']);
});

test('a hand-over that fails does not end the socket', async () => {
  open = [message('a')];
  const { socket, recycled } = aSocket(() => Promise.reject(new Error('no session')));
  sender.attach(socket);
  await pass(10_000);
  expect([outcomes, recycled]).toEqual([['a FAILED SEND_ERROR'], []]);
  expect(await sender.inHand()).toEqual([]);
});

describe('the units of a message that fails', () => {
  const lost = () => Promise.reject(new NoAnswerError());

  test('come back where nobody knows its recipient: nothing was handed over', async () => {
    open = [message('a')];
    const { socket } = aSocket();
    socket.addressOf = lost;
    sender.attach(socket);
    await pass(10_000);
    expect([outcomes, failed.givenBack]).toEqual([['a FAILED SEND_ERROR'], ['session', 'plan']]);
    expect(failed.message).toContain('the platform does not say where the recipient is');
  });

  test('do not where it was handed over before', async () => {
    open = [message('a')];
    const hands = [undefined, lost, lost];
    const { socket } = aSocket(() => Promise.reject(new Error('cut off')));
    socket.addressOf = (to) => hands.shift()?.() ?? Promise.resolve(to);
    sender.attach(socket);
    await pass(10_000);
    expect([outcomes, failed.givenBack]).toEqual([['a FAILED SEND_ERROR'], []]);
  });

  test('nor where a former owner had claimed it', async () => {
    open = [message('a', { mayBeSent: true })];
    const { socket } = aSocket();
    socket.addressOf = lost;
    sender.attach(socket);
    await pass(10_000);
    expect([outcomes, failed.givenBack]).toEqual([['a FAILED SEND_ERROR'], []]);
  });
});

test('a text to another spelling waits for the file that is ahead of it in the chat of the account', async () => {
  const content = { type: 'image' as const, media: { mediaId: 'm' } };
  open = [message('a', { content, to: 'account' }), message('b', { to: 'other spelling' }), message('c')];
  const { socket, sent } = aSocket();
  socket.addressOf = async (to) => (to === 'other spelling' ? 'account' : to);
  sender.attach(socket);
  await pass(2_000);
  expect(sent).toEqual(['key-c', 'key-a', 'key-b']);
});

test('a failure that cannot be written is found again, and nothing of it goes out', async () => {
  open = [message('a')];
  writeErrors = [new Error('wrong statement')];
  refusalOf = async () => 'ACCOUNT_RESTRICTED';
  const { socket, sent } = aSocket();
  sender.attach(socket);
  await pass(2_000);
  expect([sent, outcomes]).toEqual([[], ['a FAILED ACCOUNT_RESTRICTED']]);
  expect(await sender.inHand()).toEqual([]);
});

test('a receipt says that its messages were delivered, and takes them out of the way', async () => {
  open = [message('a'), message('b')];
  const { socket, recycled } = aSocket();
  sender.attach(socket);
  await pass();
  await sender.listener.onReceipt(['key-a', 'key-b'], 'delivered', new Date());
  expect(outcomes).toEqual(['a DELIVERED', 'b DELIVERED']);
  expect(await sender.inHand()).toEqual([]);
  await pass(ACK_MS * 3);
  expect(recycled).toEqual([]);
});

test('a receipt that cannot be written is not taken', async () => {
  writeErrors = [new Error('no database')];
  const receipt = sender.listener.onReceipt(['key-a'], 'read', new Date());
  await expect(receipt).rejects.toThrow('no database');
});

test('a file that is refused fails its message at the first try, and its chat goes on', async () => {
  const content = { type: 'image' as const, media: { mediaId: 'm' } };
  open = [message('a', { content, to: 'chat' }), message('b', { to: 'chat' })];
  fileErrors = [new FileError('MEDIA_REFUSED', 'a picture of no kind', true)];
  const { socket, sent } = aSocket();
  sender.attach(socket);
  await pass(2_000);
  expect(sent).toEqual(['key-b']);
  expect(outcomes).toEqual(['a FAILED MEDIA_REFUSED']);
});

test('each step of a message is said when it is done: drills end the process there', async () => {
  const steps: unknown[] = [];
  const note = (step: unknown): void => void steps.push(step);
  channel(STEPS_CHANNEL).subscribe(note);
  open = [message('a')];
  sender.attach(aSocket().socket);
  await pass();
  expect(steps).toEqual(['out-6']);
  await ack('a');
  expect(steps).toEqual(['out-6', 'out-7']);
  await sender.listener.onReceipt(['key-a'], 'read', new Date());
  expect(steps).toEqual(['out-6', 'out-7', 'out-10', 'out-11']);
  channel(STEPS_CHANNEL).unsubscribe(note);
});
