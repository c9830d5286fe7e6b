import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { MessagePollVoteV1, MessageReceivedV1 } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { keyIdOf, LONG_MS, type Stage } from '../support.js';
import { WorkerProcess } from '../worker-process.js';

const phone = '15550142000';
const contact = '15550242000';
const other = '15550242001';
const OPTIONS = ['yes', 'no', 'later'];

let stage: Stage;
let worker: WorkerProcess;
let sessionId: string;

beforeAll(async () => {
  ({ stage, worker } = await WorkerProcess.stage({ LEASE_MS: '3000' }));
  sessionId = await stage.link(phone);
});
afterAll(() => stage.stop());

const write = async (path: string, body: object): Promise<string> =>
  (await stage.platform.call<{ id: string }>('POST', `/${path}/messages`, body)).id;
const writes = (body: object, from = contact): Promise<string> =>
  write(`contacts/${from}`, { to: phone, ...body });
const votes = (keyId: string): MessagePollVoteV1[] =>
  (stage.eventsOf('message.poll_vote', sessionId) as unknown as MessagePollVoteV1[]).filter(
    (data) => data.pollKeyId === keyId,
  );
const vote = (keyId: string, count = 1): Promise<MessagePollVoteV1> =>
  waitFor('message.poll_vote', () => votes(keyId)[count - 1], LONG_MS);
const received = (keyId: string): Promise<MessageReceivedV1> =>
  waitFor(
    'message.received',
    () => stage.eventsOf('message.received', sessionId).find((data) => data['keyId'] === keyId),
    LONG_MS,
  ) as Promise<unknown> as Promise<MessageReceivedV1>;
const ballot = (targetKeyId: string, choices: string[], sealed: object = {}) => ({
  content: { type: 'vote', targetKeyId, choices, sealed },
});

/** Sends a poll and waits until the contact has it. */
async function asks(): Promise<{ jobId: string; keyId: string }> {
  const poll = { name: 'Lunch?', options: OPTIONS, multiple: true };
  const jobId = await stage.send(sessionId, contact, { type: 'poll', poll });
  const keyId = keyIdOf(jobId);
  const find = async () => (await stage.platform.inbox(contact)).find(({ id }) => id === keyId);
  await waitFor('the poll', find, LONG_MS);
  return { jobId, keyId };
}

const FORMS = ['lid', 'pn'].flatMap((author) => ['lid', 'pn'].map((by) => [author, by] as const));

describe('a vote in a poll that was sent', () => {
  test.each(FORMS)('is told by the names of its options: poll by %s, voter by %s', async (author, by) => {
    const { jobId, keyId } = await asks();
    await writes({ ...ballot(keyId, ['later', 'yes'], { author, by }), addressing: by });
    expect(await vote(keyId)).toMatchObject({
      ...{ pollId: jobId, pollAuthor: `${phone}@s.whatsapp.net`, options: ['yes', 'later'] },
      ...{ remoteJid: `${contact}@s.whatsapp.net`, phone: `+${contact}`, fromMe: false, isGroup: false },
    });
  });

  test('is told when it is changed, and when it is taken back', async () => {
    const { keyId } = await asks();
    await writes(ballot(keyId, ['yes']));
    await writes(ballot(keyId, ['no']));
    await writes(ballot(keyId, []));
    await vote(keyId, 3);
    expect(votes(keyId).map(({ options }) => options)).toEqual([['yes'], ['no'], []]);
  });

  test('on the own phone is told as the own one', async () => {
    const { keyId } = await asks();
    await write(`accounts/${phone}`, { to: contact, ...ballot(keyId, ['no']) });
    expect(await vote(keyId)).toMatchObject({ fromMe: true, options: ['no'] });
  });

  test('is told as unreadable if nothing opens it, and never as a message', async () => {
    const { keyId } = await asks();
    const id = await writes(ballot(keyId, ['no'], { secret: randomBytes(32).toString('base64') }));
    expect(await vote(keyId)).toMatchObject({ unreadable: true, options: [] });
    expect(stage.eventsOf('message.received', sessionId).filter((data) => data['keyId'] === id)).toEqual([]);
  });

  test.each(['in-2', 'in-3', 'in-4'])('is told once by a worker that dies at %s', async (step) => {
    const { keyId } = await asks();
    await worker.kill();
    await worker.start({ step, times: 1 });
    await stage.reached(sessionId, 'CONNECTED');
    await writes(ballot(keyId, ['yes']));
    await worker.died();
    await worker.start();
    expect(await vote(keyId)).toMatchObject({ options: ['yes'] });
    expect(votes(keyId)).toHaveLength(1);
  });
});

describe('a vote in a poll that came', () => {
  test('to a group is told with its poll', async () => {
    const members = [contact, other, phone];
    const { jid: group } = await stage.platform.call<{ jid: string }>('POST', '/groups', {
      subject: 'g',
      members,
    });
    const content = { type: 'poll', name: 'Lunch?', options: OPTIONS };
    const keyId = await write(`contacts/${contact}`, { group, content });
    const { messageId, conversationId } = await received(keyId);
    await write(`contacts/${other}`, { group, ...ballot(keyId, ['no'], { author: 'lid', by: 'pn' }) });
    expect(await vote(keyId)).toMatchObject({
      ...{ pollId: messageId, options: ['no'], isGroup: true, chatId: group, conversationId },
      ...{ remoteJid: `${other}@s.whatsapp.net`, pollAuthor: `${contact}@s.whatsapp.net` },
    });
  });

  test('after it is told with it', async () => {
    const secret = randomBytes(32).toString('base64');
    const keyId = `EARLY${randomBytes(6).toString('hex').toUpperCase()}`;
    await writes(ballot(keyId, ['yes'], { secret, writer: contact }));
    const options = OPTIONS.map((optionName) => ({ optionName }));
    const message = {
      messageContextInfo: { messageSecret: secret },
      pollCreationMessageV3: { name: 'Lunch?', options },
    };
    await writes({ message, attributes: { id: keyId } });
    const { messageId } = await received(keyId);
    expect(await vote(keyId)).toMatchObject({ pollId: messageId, options: ['yes'] });
    expect(votes(keyId)).toHaveLength(1);
  });
});
