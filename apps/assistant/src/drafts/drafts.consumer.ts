import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  ApproveDraft,
  ApproveDraftV1,
  DiscardDraft,
  DraftRef,
  type DraftsReply,
  ListDrafts,
  ListDraftsV1,
  type SentDraft,
} from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { DraftsService } from './drafts.service.js';

/** This consumer answers requests about drafts. */
@Controller()
export class DraftsConsumer {
  constructor(private readonly drafts: DraftsService) {}

  @OnRequest(ListDrafts)
  list(@Payload() request: ListDraftsV1): Promise<DraftsReply> {
    return this.drafts.list(request);
  }

  @OnRequest(ApproveDraft)
  approve(@Payload() request: ApproveDraftV1): Promise<SentDraft> {
    return this.drafts.approve(request);
  }

  @OnRequest(DiscardDraft)
  async discard(@Payload() request: DraftRef): Promise<object> {
    await this.drafts.discard(request);
    return {};
  }
}
