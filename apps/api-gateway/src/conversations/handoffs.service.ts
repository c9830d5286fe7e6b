import { Injectable } from '@nestjs/common';
import {
  conversationIdOf,
  type ConversationOwner,
  type ConversationOwnerView,
  type HandoffBody,
  type HandoffView,
  ListHandoffs,
  type Page,
  type PageQuery,
  SetConversationOwner,
} from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { Cursors, DEFAULT_LIMIT } from '../paging/cursor.js';
import { ConversationsService } from './conversations.service.js';

/** This class asks `assistant` who has a conversation, and hands it over; whose conversation it is, the gateway knows. */
@Injectable()
export class HandoffsService {
  constructor(
    private readonly conversations: ConversationsService,
    private readonly cursors: Cursors,
    private readonly rpc: RpcClient,
  ) {}

  async list(
    tenantId: string,
    { limit = DEFAULT_LIMIT, before: cursor }: PageQuery,
  ): Promise<Page<HandoffView>> {
    const list = `handoffs:${tenantId}`;
    const before = this.cursors.decode(list, cursor);
    const request = { tenantId, limit: limit + 1, ...(before && { before }) };
    const { handoffs } = await this.rpc.request(ListHandoffs, request);
    const page = this.cursors.page(list, handoffs, limit, ({ id }) => id);
    const items = page.items.map(({ sessionId, chat: contact, reason, since, until = null }) => ({
      ...{ conversationId: conversationIdOf({ tenantId, sessionId, contact }), sessionId, contact },
      ...{ reason, since, until },
    }));
    return { ...page, items };
  }

  /** @throws AppError `CONVERSATION_NOT_FOUND`, `FORBIDDEN` */
  async setOwner(
    tenantId: string,
    conversationId: string,
    change: HandoffBody & { owner: ConversationOwner },
  ): Promise<ConversationOwnerView> {
    const { id, sessionId, contact: chat } = await this.conversations.owned(tenantId, conversationId);
    const request = { tenantId, sessionId, chat, ...change };
    const { owner, reason, until } = await this.rpc.request(SetConversationOwner, request);
    return { conversationId: id, owner, reason: reason ?? null, until: until ?? null };
  }
}
