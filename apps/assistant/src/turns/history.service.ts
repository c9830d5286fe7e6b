import { Injectable } from '@nestjs/common';
import { type AssistantSettings, ReadConversation } from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import type { Turn, TurnEnd, TurnMessage } from './turn.js';
import type { Said } from '../answers/prompt.js';

const HOUR_MS = 3_600_000;

/** This service reads what was said in a conversation. The gateway keeps it; it may not have the newest messages yet, which the turn has. */
@Injectable()
export class HistoryService {
  constructor(private readonly rpc: RpcClient) {}

  /**
   * Reads the conversation with the messages of the turn, in no order.
   * @returns the end of the turn where the contact wants no messages, or the tenant is suspended
   */
  async of(
    { tenantId, sessionId, chat }: Turn,
    messages: TurnMessage[],
    { historyMessages, historyHours }: AssistantSettings,
  ): Promise<Said[] | { end: TurnEnd }> {
    const {
      messages: told,
      optedOut,
      suspended,
    } = await this.rpc.request(ReadConversation, {
      ...{
        tenantId,
        sessionId,
        chat,
        limit: historyMessages,
        maxAgeSeconds: (historyHours * HOUR_MS) / 1000,
      },
    });
    if (suspended) return { end: { outcome: 'SUBSCRIPTION', detail: 'TENANT_SUSPENDED' } };
    if (optedOut) return { end: { outcome: 'CONTACT_OPTED_OUT' } };
    const own = new Set(messages.map(({ id }) => id));
    return [
      ...told
        .filter(({ messageId }) => !own.has(messageId))
        .map(({ messageId: id, fromMe: isOwn, createdAt, body }) => ({
          id,
          isOwn,
          at: new Date(createdAt),
          body,
        })),
      ...messages.map(({ id, receivedAt: at, body }) => ({ id, isOwn: false, at, body })),
    ];
  }
}
