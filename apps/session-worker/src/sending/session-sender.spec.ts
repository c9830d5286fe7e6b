import { setTimeout as realDelay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { MessageFailure, RestrictionReason } from '@svc/contracts';
import { LeaseLostError } from '@svc/ownership';
import { NoAnswerError, NotOnPlatformError } from '../platform/errors.js';
import type { OutgoingMessage } from '../platform/messages.js';
import type { PlatformSocket } from '../platform/port.js';
import type { Claim, LedgerMessage } from './ledger/ledger.js';
import { type SenderTools, SessionSender } from './session-sender.js';

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
let attached: Map<string, SessionSender>;
let restriction: RestrictionReason | undefined;
let explained: number;
/** Errors of the next writes, in order; without one a write succeeds. */
let writeErrors: Error[];
let sender: SessionSender;

const written = async (jobId: string | undefined, outcome: string): Promise<void> => {
  const error = writeErrors.shift();
  if (error) throw error;
  open = open.filter((one) => one.jobId !== jobId);
  outcomes.push(`${jobId} ${outcome}`);
};

beforeEach(() => {
  jest.useFakeTimers();
  [open, outcomes, writeErrors, attached] = [[], [], [], new Map()];
  [restriction, explained] = [undefined, 0];
  const tools: SenderTools = {
    ...{ scope, attached, expiryMs: 60_000, ackTimeoutMs: ACK_MS },
    ledger: {
      claim: async ({ limit, exceptJobs, exceptChats }: Claim) =>
        open
          .filter(({ jobId, to }) => !exceptJobs.includes(jobId) && !exceptChats.includes(to))
          .slice(0, limit),
      fail: async (_scope, jobIds, failure: MessageFailure) => written(jobIds?.[0], `FAILED ${failure.code}`),
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
    newChats: { refusalOf: async () => restriction, refused: () => void (explained += 1) },
    files: {
      upload: () => ({ uploaded: Promise.resolve(Buffer.from('file')), ended: Promise.resolve() }),
    },
  };
  sender = new SessionSender(tools);
});
afterEach(() => {
  sender.detach();
  jest.useRealTimers();
});

/** Makes a socket that notes the messages handed to it; `answer` says how each hand-over ends. */
function aSocket(answer: (message: OutgoingMessage) => Promise<void> = async () => undefined) {
  const sent: string[] = [];
  const recycled: string[] = [];
  const socket = {
    addressOf: async (to: string) => to,
    send: (one: OutgoingMessage) => {
      sent.push(one.keyId);
      return answer(one);
    },
    unanswered: () => undefined,
    recycle: (reason: string) => void recycled.push(reason),
  } as unknown as PlatformSocket;
  return { socket, sent, recycled };
}

const pass = (ms = 0): Promise<void> => jest.advanceTimersByTimeAsync(ms);
const ack = async (...names: string[]): Promise<void> => {
  for (const name of names) sender.listener.onAck(`key-${name}`, undefined);
  await pass();
};

test('messages are claimed and handed over in order once a socket is open, and are sent when acknowledged', async () => {
  open = [message('a'), message('b')];
  sender.wake();
  await pass(5_000);
  const { socket, sent } = aSocket();
  sender.attach(socket);
  await pass();
  expect(sent).toEqual(['key-a', 'key-b']);
  expect(await sender.inHand()).toEqual(['a', 'b']);
  await ack('a', 'b');
  expect(outcomes).toEqual(['a SENT', 'b SENT']);
  expect(await sender.inHand()).toEqual([]);
});

test('what is queued while the socket is open goes out when it is told so', async () => {
  const { socket, sent } = aSocket();
  sender.attach(socket);
  await pass();
  open = [message('a')];
  attached.get('session')?.wake();
  await pass();
  expect(sent).toEqual(['key-a']);
  sender.detach();
  expect(attached.size).toBe(0);
});

test('no more than twenty are in flight; acknowledgements make room', async () => {
  open = Array.from({ length: 30 }, (_, i) => message(`m${i}`));
  const { socket, sent } = aSocket();
  sender.attach(socket);
  await pass();
  expect(sent).toHaveLength(20);
  await ack(...Array.from({ length: 9 }, (_, i) => `m${i}`));
  expect(sent).toHaveLength(20);
  await ack('m9');
  expect(sent).toHaveLength(30);
});

test('a socket that dies with a message in hand gives it to the next one, under the same id', async () => {
  open = [message('a'), message('b')];
  const first = aSocket(() => new Promise(() => undefined)); // the hand-over hangs
  sender.attach(first.socket);
  await pass();
  expect(first.sent).toEqual(['key-a']);
  sender.detach();
  await pass(60_000);
  expect(await sender.inHand()).toEqual([]);
  const second = aSocket();
  sender.attach(second.socket);
  await pass();
  expect(second.sent).toEqual(['key-a', 'key-b']);
  expect(outcomes).toEqual([]);
});

test.each([
  ['leave it unacknowledged', () => Promise.resolve()],
  ['die while it is handed over', () => new Promise<void>(() => undefined)],
])('a message outlives sockets that %s: those tries do not count', async (_what, answer) => {
  open = [message('a')];
  for (let socket = 0; socket < 5; socket += 1) {
    const { socket: one, sent } = aSocket(answer);
    sender.attach(one);
    await pass();
    expect(sent).toEqual(['key-a']);
    sender.detach();
    await pass(1_000);
  }
  expect(outcomes).toEqual([]);
});

test('a message that is not acknowledged in time is sent again under its id, and fails after the third try', async () => {
  open = [message('a')];
  const { socket, sent, recycled } = aSocket();
  sender.attach(socket);
  await pass(ACK_MS * 3);
  expect(sent).toEqual(['key-a', 'key-a', 'key-a']);
  expect(outcomes).toEqual(['a FAILED NO_ACK']);
  expect(recycled).toContain('UNANSWERED');
});

test('an acknowledgement stops the clock of its message', async () => {
  open = [message('a')];
  const { socket, sent, recycled } = aSocket();
  sender.attach(socket);
  await pass();
  await ack('a');
  await pass(ACK_MS * 3);
  expect([sent, recycled, outcomes]).toEqual([['key-a'], [], ['a SENT']]);
});

test('a receipt is as good as an acknowledgement', async () => {
  open = [message('a')];
  const { socket, sent } = aSocket();
  sender.attach(socket);
  await pass();
  await sender.listener.onReceipt(['key-a'], 'read', new Date());
  await pass(ACK_MS * 3);
  expect([sent, outcomes]).toEqual([['key-a'], ['a READ']]);
});

test('an acknowledgement that cannot be written sends the message again under its id', async () => {
  open = [message('a')];
  writeErrors = [new Error('no database')];
  const { socket, sent } = aSocket();
  sender.attach(socket);
  await pass();
  await ack('a');
  await pass(1_000);
  expect(sent).toEqual(['key-a', 'key-a']);
  await ack('a');
  expect(outcomes).toEqual(['a SENT']);
});

test('a message that the platform refuses fails with its words, and those behind it go out', async () => {
  open = [message('a'), message('b')];
  const { socket, sent } = aSocket();
  sender.attach(socket);
  await pass();
  sender.listener.onAck('key-a', { detail: 'platform error 479', isOfNewChat: false });
  await ack('b');
  expect(sent).toEqual(['key-a', 'key-b']);
  expect(outcomes).toEqual(['a FAILED REJECTED_BY_PLATFORM', 'b SENT']);
  expect(explained).toBe(0);
});

test('a new chat that is refused makes the session ask why', async () => {
  open = [message('a')];
  const { socket } = aSocket();
  sender.attach(socket);
  await pass();
  sender.listener.onAck('key-a', { detail: 'platform error 463', isOfNewChat: true });
  await pass();
  expect([explained, outcomes]).toEqual([1, ['a FAILED REJECTED_BY_PLATFORM']]);
});

test('a restricted session fails what would begin a chat without handing it over', async () => {
  open = [message('a')];
  restriction = 'ACCOUNT_RESTRICTED';
  const { socket, sent } = aSocket();
  sender.attach(socket);
  await pass();
  expect([sent, outcomes]).toEqual([[], ['a FAILED ACCOUNT_RESTRICTED']]);
});

test('a recipient who is not on the platform is asked for once, and nothing is handed over', async () => {
  open = [message('a'), message('b')];
  const { socket, sent } = aSocket();
  socket.addressOf = async (to) => {
    if (to === 'chat of a') throw new NotOnPlatformError();
    return to;
  };
  sender.attach(socket);
  await pass(5_000);
  expect(sent).toEqual(['key-b']);
  expect(outcomes).toEqual(['a FAILED NOT_ON_PLATFORM']);
});

test('a message goes to the address of the account, which is written before', async () => {
  open = [message('a')];
  const written: string[] = [];
  const { socket } = aSocket(async ({ to }) => void written.push(`handed to ${to}`, `row ${open[0]?.to}`));
  socket.addressOf = async () => 'account';
  sender.attach(socket);
  await pass();
  expect(written).toEqual(['handed to account', 'row account']);
});

test('a hand-over that fails holds up what is behind it, and is tried three times', async () => {
  open = [message('a'), message('b')];
  const { socket, sent } = aSocket(async ({ keyId }) => {
    if (keyId === 'key-a') throw new Error('no session');
  });
  sender.attach(socket);
  await pass();
  expect(sent).toEqual(['key-a']);
  await pass(10_000);
  expect(sent).toEqual(['key-a', 'key-a', 'key-a', 'key-b']);
  expect(outcomes).toEqual(['a FAILED SEND_ERROR']);
});

test('a platform that does not answer a question about the recipient ends the socket', async () => {
  open = [message('a')];
  const { socket, recycled } = aSocket();
  socket.addressOf = () => Promise.reject(new NoAnswerError());
  sender.attach(socket);
  await pass();
  expect([recycled, outcomes]).toEqual([['UNANSWERED'], []]);
});

test.each(['canceled', 'expired'])(
  'a message that was %s meanwhile is not claimed, and not sent',
  async () => {
    open = [message('a'), message('b')];
    const socket = aSocket(() => new Promise(() => undefined));
    sender.attach(socket.socket);
    await pass();
    sender.detach();
    open = open.filter(({ jobId }) => jobId !== 'a'); // its row is final
    const next = aSocket();
    sender.attach(next.socket);
    await pass();
    expect(next.sent).toEqual(['key-b']);
  },
);

test('only the chat of a file waits for it; the message goes out once the file is uploaded', async () => {
  const content = { type: 'image' as const, media: { mediaId: 'm' } };
  open = [message('a', { content, to: 'chat' }), message('b', { to: 'chat' }), message('c')];
  const { socket, sent } = aSocket();
  sender.attach(socket);
  await pass(2_000);
  expect(sent).toEqual(['key-c', 'key-a', 'key-b']);
});

test('draining waits for what is in flight, and hands over nothing new', async () => {
  open = [message('a')];
  const { socket, sent } = aSocket();
  sender.attach(socket);
  await pass();
  const drained = jest.fn();
  void sender.drain(5_000).then(drained);
  open.push(message('b'));
  sender.wake();
  await pass(1_000);
  expect(drained).not.toHaveBeenCalled();
  await ack('a');
  await realDelay(100);
  expect([drained.mock.calls.length, sent, outcomes]).toEqual([1, ['key-a'], ['a SENT']]);
});

test('draining gives up what is never acknowledged: the next owner sends it again', async () => {
  open = [message('a')];
  const { socket } = aSocket();
  sender.attach(socket);
  await pass();
  const drained = jest.fn();
  void sender.drain(50).then(drained);
  await realDelay(200);
  expect(drained).toHaveBeenCalled();
  expect(await sender.inHand()).toEqual([]);
});

test('a lease that is lost sends nothing more than what is in hand', async () => {
  open = [message('a')];
  writeErrors = [new LeaseLostError(1)];
  const { socket, sent } = aSocket();
  sender.attach(socket);
  await pass();
  open = []; // a claim under a fallen fence finds nothing
  await ack('a');
  await pass(60_000);
  expect([sent, outcomes]).toEqual([['key-a'], []]);
});

test('a message of another mode is not handed over, also where the mode has changed since its claim', async () => {
  const only = { onlyInMode: 'MANAGED' as const };
  open = [message('a', only), message('b', only), message('c')];
  let handedOver: () => void = () => undefined;
  const { socket, sent } = aSocket(
    ({ keyId }) => new Promise((resolve) => (keyId === 'key-a' ? (handedOver = resolve) : resolve())),
  );
  sender.attach(socket);
  await pass();
  let isKept = false;
  const kept = sender.keepTo('EXTERNAL').then(() => (isKept = true));
  await pass();
  expect([sent, isKept]).toEqual([['key-a'], false]);
  handedOver();
  await pass();
  await kept;
  expect(sent).toEqual(['key-a', 'key-c']);
  expect(outcomes).toEqual(['b FAILED BOT_MODE_CHANGED']);
  open = [message('d', only), message('e', { ...only, isOutOfMode: true })];
  sender.wake();
  await pass();
  expect(sent).toEqual(['key-a', 'key-c', 'key-d']);
  expect(outcomes).toEqual(['b FAILED BOT_MODE_CHANGED', 'e FAILED BOT_MODE_CHANGED']);
});
