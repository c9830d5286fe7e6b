import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  type AssistantSettingsReply,
  DemandEvals,
  DemandEvalsV1,
  GetAssistantSettings,
  NoteEvalsRun,
  NoteEvalsRunV1,
  PublishAssistantSettings,
  PublishAssistantSettingsV1,
  SessionRef,
  SetAssistantSettings,
  SetAssistantSettingsV1,
} from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { EvalsService } from './evals.service.js';
import { PublishingService } from './publishing.service.js';
import { SettingsService } from './settings.service.js';

/** This consumer answers requests about the settings of assistants. */
@Controller()
export class SettingsConsumer {
  constructor(
    private readonly settings: SettingsService,
    private readonly publishing: PublishingService,
    private readonly evals: EvalsService,
  ) {}

  @OnRequest(GetAssistantSettings)
  get(@Payload() request: SessionRef): Promise<AssistantSettingsReply> {
    return this.settings.get(request);
  }

  @OnRequest(SetAssistantSettings)
  set(@Payload() request: SetAssistantSettingsV1): Promise<AssistantSettingsReply> {
    return this.settings.setDraft(request);
  }

  @OnRequest(PublishAssistantSettings)
  publish(@Payload() request: PublishAssistantSettingsV1): Promise<AssistantSettingsReply> {
    return this.publishing.publish(request);
  }

  @OnRequest(DemandEvals)
  demand(@Payload() request: DemandEvalsV1): Promise<AssistantSettingsReply> {
    return this.evals.demand(request);
  }

  @OnRequest(NoteEvalsRun)
  note(@Payload() request: NoteEvalsRunV1): Promise<AssistantSettingsReply> {
    return this.evals.note(request);
  }
}
