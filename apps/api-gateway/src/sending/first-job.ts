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
  if (first.sessionId !== repeat.sessionId) differences.push('sessionId');
  if (first.contact !== repeat.contact) differences.push('to');
  if (digestOf(repeat, first) !== digest) differences.push('content');
  return differences;
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}
