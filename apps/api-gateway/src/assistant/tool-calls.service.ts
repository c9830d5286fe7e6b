import { Injectable } from '@nestjs/common';
import {
  type ApprovedCall,
  ApproveToolCall,
  conversationIdOf,
  type DecideToolCallV1,
  type ListedCall,
  ListToolCalls,
  type ListToolCallsQuery,
  type Page,
  RefuseToolCall,
  type WaitingCallView,
} from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { Cursors, DEFAULT_LIMIT } from '../paging/cursor.js';

/** Time for an approval: a tool may take fifteen seconds. */
const APPROVAL_MS = 25_000;

/** This class asks `assistant` for calls of tools, which knows whose they are. */
@Injectable()
export class ToolCallsService {
  constructor(
    private readonly cursors: Cursors,
    private readonly rpc: RpcClient,
  ) {}

  async list(
    tenantId: string,
    { limit = DEFAULT_LIMIT, before: cursor, sessionId }: ListToolCallsQuery,
  ): Promise<Page<WaitingCallView>> {
    const filter = { tenantId, ...(sessionId && { sessionId: sessionId.toLowerCase() }) };
    const list = `tool-calls:${JSON.stringify(filter)}`;
    const before = this.cursors.decode(list, cursor);
    const request = { ...filter, limit: limit + 1, ...(before && { before }) };
    const { calls, isCut } = await this.rpc.request(ListToolCalls, request);
    const page = this.cursors.page(list, calls, isCut ? calls.length - 1 : limit, ({ place }) => place);
    return { ...page, items: page.items.map(viewOf) };
  }

  /** @throws AppError `TOOL_CALL_NOT_FOUND`, `FORBIDDEN`, `TOOL_CALL_CONFLICT`, `SESSION_NOT_FOUND` */
  approve(request: DecideToolCallV1): Promise<ApprovedCall> {
    return this.rpc.request(ApproveToolCall, request, APPROVAL_MS);
  }

  /** @throws AppError `TOOL_CALL_NOT_FOUND`, `FORBIDDEN`, `TOOL_CALL_CONFLICT` */
  async refuse(request: DecideToolCallV1): Promise<void> {
    await this.rpc.request(RefuseToolCall, request);
  }
}

function viewOf({ id, chat: contact, tenantId, sessionId, place: _, ...call }: ListedCall): WaitingCallView {
  return {
    id,
    sessionId,
    conversationId: conversationIdOf({ tenantId, sessionId, contact }),
    contact,
    ...call,
  };
}
