import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { MessagePollVote, type MessagePollVoteV1, type PollResult } from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { waitFor } from '@svc/testing';
import { gateway, tenant, withGateway } from '../support/gateway.js';

withGateway();

const ADA = '15550003001@s.whatsapp.net';
const BEN = '15550003002@s.whatsapp.net';
const HIDDEN = '98765432101@lid';

let sessionId: string;

beforeAll(async () => {
  sessionId = gateway.fakes.addSession(tenant.tenantId).id;
});

async function asks(): Promise<string> {
  const poll = { name: 'Lunch?', options: ['yes', 'no'] };
  const body = { sessionId, to: '+15550003001', poll };
  return (await gateway.call(tenant.apiKey, 'POST /v1/messages', body)).body['jobId'] as string;
}

async function votes(pollId: string, change: Partial<MessagePollVoteV1>): Promise<void> {
  const now = new Date().toISOString();
  const data: MessagePollVoteV1 = {
    ...{ sessionId, messageId: randomUUID(), pollId, pollKeyId: 'ABC', pollAuthor: BEN },
    ...{ remoteJid: ADA, phone: null, pushName: 'Ada', chatId: ADA, isGroup: false, fromMe: false },
    ...{ options: [], votedAt: now, timestamp: now },
    ...change,
  };
  await gateway.fakes.messaging.publishEvent(
    envelopeOf(MessagePollVote, { tenantId: tenant.tenantId }, data),
  );
}

const result = async (id: string) => gateway.call(tenant.apiKey, `GET /v1/messages/${id}/poll`);
const resultWith = (id: string, isIt: (result: PollResult) => boolean): Promise<PollResult> =>
  waitFor('the result', async () => {
    const body = (await result(id)).body as unknown as PollResult;
    return isIt(body) && body;
  });
const at = (second: number): string => new Date(Date.UTC(2026, 0, 31, 12, 0, second)).toISOString();

test('the result of a poll has the last vote of each voter, in whichever order they are heard', async () => {
  const id = await asks();
  await votes(id, { options: ['no'], votedAt: at(2) });
  await resultWith(id, ({ voters: heard }) => heard === 1);
  await votes(id, { options: ['yes'], votedAt: at(1) });
  await votes(id, { remoteJid: BEN, options: ['yes'], votedAt: at(3) });
  const { options, voters, votes: all } = await resultWith(id, ({ votes: heard }) => heard.length === 2);
  expect(options).toEqual([
    { name: 'yes', votes: 1 },
    { name: 'no', votes: 1 },
  ]);
  expect(voters).toBe(2);
  expect(all.map(({ voter, options: chosen }) => [voter, chosen])).toEqual([
    [ADA, ['no']],
    [BEN, ['yes']],
  ]);
});

test('a vote that is taken back counts for nothing', async () => {
  const id = await asks();
  await votes(id, { options: ['yes'], votedAt: at(1) });
  await resultWith(id, ({ voters }) => voters === 1);
  await votes(id, { options: [], votedAt: at(2) });
  expect(await resultWith(id, ({ voters }) => voters === 0)).toMatchObject({
    options: [{ votes: 0 }, { votes: 0 }],
  });
});

test('a person has one vote under both addresses', async () => {
  const id = await asks();
  await votes(id, { remoteJid: HIDDEN, options: ['yes'], votedAt: at(1) });
  await votes(id, { hiddenJid: HIDDEN, options: ['no'], votedAt: at(2) });
  const { votes: all } = await resultWith(id, ({ options }) => options[1]?.votes === 1);
  expect(all).toHaveLength(1);
});

test('a poll without votes has a result, and what is no poll has none', async () => {
  const id = await asks();
  expect((await result(id)).body).toMatchObject({ messageId: id, name: 'Lunch?', voters: 0, votes: [] });
  const body = { sessionId, to: '+15550003001', text: 'Hello' };
  const { jobId } = (await gateway.call(tenant.apiKey, 'POST /v1/messages', body)).body;
  for (const other of [String(jobId), randomUUID()])
    expect(await result(other)).toMatchObject({ status: 404, body: { code: 'MESSAGE_NOT_FOUND' } });
});
