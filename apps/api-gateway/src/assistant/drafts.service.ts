import { Injectable } from '@nestjs/common';
import {
  ApproveDraft,
  type ApproveDraftV1,
  conversationIdOf,
  DiscardDraft,
  type DraftRef,
  type DraftView,
  ListDrafts,
  type ListDraftsQuery,
  type ListedDraft,
  type Page,
  type SentDraft,
} from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { Cursors, DEFAULT_LIMIT } from '../paging/cursor.js';

/** Time for an approval: `assistant` asks the gateway to send, and waits for that. */
const APPROVAL_MS = 10_000;

/** This class asks `assistant` for drafts, which knows whose they are. */
@Injectable()
export class DraftsService {
  constructor(
    private readonly cursors: Cursors,
    private readonly rpc: RpcClient,
  ) {}

  async list(
    tenantId: string,
    { limit = DEFAULT_LIMIT, before: cursor, sessionId }: ListDraftsQuery,
  ): Promise<Page<DraftView>> {
    const filter = { tenantId, ...(sessionId && { sessionId: sessionId.toLowerCase() }) };
    const list = `drafts:${JSON.stringify(filter)}`;
    const before = this.cursors.decode(list, cursor);
    const request = { ...filter, limit: limit + 1, ...(before && { before }) };
    const { drafts, isCut } = await this.rpc.request(ListDrafts, request);
    const page = this.cursors.page(list, drafts, isCut ? drafts.length - 1 : limit, ({ id }) => id);
    return { ...page, items: page.items.map(viewOf) };
  }

  /** @throws AppError `DRAFT_NOT_FOUND`, `FORBIDDEN`, `DRAFT_CONFLICT`, or the refusal of the send. */
  approve(request: ApproveDraftV1): Promise<SentDraft> {
    return this.rpc.request(ApproveDraft, request, APPROVAL_MS);
  }

  /** @throws AppError `DRAFT_NOT_FOUND`, `FORBIDDEN`, `DRAFT_CONFLICT` */
  async discard(ref: DraftRef): Promise<void> {
    await this.rpc.request(DiscardDraft, ref);
  }
}

function viewOf({ chat: contact, tenantId, sessionId, ...draft }: ListedDraft): DraftView {
  return {
    ...{
      id: draft.id,
      sessionId,
      conversationId: conversationIdOf({ tenantId, sessionId, contact }),
      contact,
    },
    ...draft,
  };
}
