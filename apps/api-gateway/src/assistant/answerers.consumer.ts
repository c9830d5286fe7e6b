import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  AssistantPublished,
  type AssistantPublishedV1,
  Envelope,
  SessionDeleted,
  type SessionDeletedV1,
} from '@svc/contracts';
import { OnEvent } from '@svc/messaging';
import { Answerers } from './answerers.service.js';

/** This consumer hears which sessions have an assistant that answers. */
@Controller()
export class AnswerersConsumer {
  constructor(private readonly answerers: Answerers) {}

  @OnEvent(AssistantPublished)
  published(@Payload() { tenantId, data }: Envelope<AssistantPublishedV1>): Promise<void> {
    const { sessionId, mode, publication } = data;
    return this.answerers.note({ tenantId, sessionId, mode, publication });
  }

  @OnEvent(SessionDeleted)
  deleted(@Payload() { data }: Envelope<SessionDeletedV1>): Promise<void> {
    return this.answerers.forget(data.sessionId);
  }
}
