import { conversationIdOf, type Envelope, isGroup, MessagePollVote, phoneOf } from '@svc/contracts';
import { eventOf } from '@svc/service';
import type { InboundRecord } from '../platform/messages.js';
import type { InboundVote, PollPlace } from '../platform/votes.js';
import { messageIdOf } from './message-id.js';

/** The last moment that JavaScript and PostgreSQL both know, in ms. */
const LAST_MS = Date.UTC(9999, 11, 31);

/** Makes the event of a vote in a poll. */
export function voteEvent(
  record: InboundRecord,
  vote: InboundVote,
  session: { id: string; tenantId: string },
): Envelope {
  const { id: sessionId, tenantId } = session;
  const messageId = messageIdOf(sessionId, record.sender, record.keyId);
  const { options, unknownOptions, isUnreadable, pollKeyId, hidden } = vote;
  const data = {
    ...{ sessionId, messageId, pollId: pollIdOf(sessionId, vote.poll) },
    ...{ pollKeyId, pollAuthor: vote.pollAuthor },
    ...{ chatId: record.chat, isGroup: isGroup(record.chat), fromMe: record.fromMe },
    ...{ remoteJid: record.remoteJid, phone: phoneOf(record.remoteJid), pushName: record.pushName },
    ...(hidden !== undefined && hidden !== record.remoteJid ? { hiddenJid: hidden } : {}),
    conversationId: conversationIdOf({ tenantId, sessionId, contact: record.chat }),
    options,
    ...(unknownOptions > 0 ? { unknownOptions } : {}),
    ...(isUnreadable ? { unreadable: true } : {}),
    votedAt: timeOf(record, vote).toISOString(),
    timestamp: new Date(record.sentAt * 1000).toISOString(),
  };
  return eventOf(MessagePollVote, tenantId, data, messageId);
}

function pollIdOf(sessionId: string, poll: PollPlace): string {
  return 'jobId' in poll ? poll.jobId : messageIdOf(sessionId, poll.sender, poll.keyId);
}

/** The voter's device counts in milliseconds: of two votes in one second only it says which is the later one. */
function timeOf({ sentAt }: InboundRecord, { at = 0 }: InboundVote): Date {
  return new Date(at > 0 && at <= LAST_MS ? at : sentAt * 1000);
}
