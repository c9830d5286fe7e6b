import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  AddKnowledge,
  AddKnowledgeV1,
  DeleteKnowledge,
  DeleteKnowledgeV1,
  DismissGap,
  type FoundKnowledgeReply,
  type GapsReply,
  GetKnowledge,
  KnowledgeRef,
  type KnowledgeReply,
  type KnowledgeSourceReply,
  type KnowledgeTextReply,
  ListGaps,
  ListGapsV1,
  ListKnowledge,
  ListKnowledgeV1,
  SearchKnowledge,
  SearchKnowledgeV1,
} from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { GapsRepository } from './gaps.repository.js';
import { KnowledgeRepository } from './knowledge.repository.js';
import { KnowledgeService } from './knowledge.service.js';

/** This consumer answers requests about what assistants know. */
@Controller()
export class KnowledgeConsumer {
  constructor(
    private readonly knowledge: KnowledgeService,
    private readonly sources: KnowledgeRepository,
    private readonly gaps: GapsRepository,
  ) {}

  @OnRequest(AddKnowledge)
  async add(
    @Payload() { tenantId, sessionId, source, actor }: AddKnowledgeV1,
  ): Promise<KnowledgeSourceReply> {
    return { source: await this.knowledge.add({ tenantId, sessionId }, source, actor) };
  }

  @OnRequest(ListKnowledge)
  async list(@Payload() request: ListKnowledgeV1): Promise<KnowledgeReply> {
    return { sources: await this.sources.list(request) };
  }

  @OnRequest(GetKnowledge)
  async get(@Payload() request: KnowledgeRef): Promise<KnowledgeTextReply> {
    return { source: await this.knowledge.get(request) };
  }

  @OnRequest(DeleteKnowledge)
  async delete(@Payload() request: DeleteKnowledgeV1): Promise<object> {
    await this.knowledge.delete(request);
    return {};
  }

  @OnRequest(SearchKnowledge)
  async search(@Payload() request: SearchKnowledgeV1): Promise<FoundKnowledgeReply> {
    return { items: await this.knowledge.search(request, request.query) };
  }

  @OnRequest(ListGaps)
  listGaps(@Payload() request: ListGapsV1): Promise<GapsReply> {
    return this.gaps.list(request);
  }

  @OnRequest(DismissGap)
  async dismissGap(@Payload() request: KnowledgeRef): Promise<object> {
    await this.knowledge.dismissGap(request);
    return {};
  }
}
