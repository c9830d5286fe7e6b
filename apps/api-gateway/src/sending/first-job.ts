import { createHash } from 'node:crypto';
import type { RepeatDifference } from '@svc/contracts';
import type { Message } from '../messages/message.entity.js';
import type { OutboundMessage } from './outbound-message.js';

/** The job that a `clientMessageId` stands for, and the digest of the request that made it. */
export interface FirstJob {
  message: Message;
  digest: string;
}

type Place = Pick<Message, 'sessionId' | 'contact'>;

/** Makes the digest of a request: of its place and of its content, as it was asked for. */
export function digestOf({ asked }: OutboundMessage, { sessionId, contact }: Place): string {
  const { content, names, file } = asked;
  const rest = [names, file && sha256(file)].filter((one) => one !== undefined);
  return sha256(JSON.stringify([sessionId, contact, content, ...rest]));
}

/** Lists what a repeat asks for otherwise than the first request did. */
export function differencesOf(
  { message: first, digest }: FirstJob,
  repeat: OutboundMessage,
): RepeatDifference[] {
  const differences: RepeatDifference[] = [];
  // The platform may have told meanwhile that the account of the recipient has another address.
  const asked = { sessionId: first.sessionId, contact: first.requestedTo ?? first.contact };
  if (first.sessionId !== repeat.sessionId) differences.push('sessionId');
  if (![asked.contact, first.contact].includes(repeat.contact)) differences.push('to');
  if (digestOf(repeat, asked) !== digest) differences.push('content');
  return differences;
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}
