import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  type AssistantSettingsReply,
  GetAssistantSettings,
  PublishAssistantSettings,
  PublishAssistantSettingsV1,
  SessionRef,
  SetAssistantSettings,
  SetAssistantSettingsV1,
} from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { PublishingService } from './publishing.service.js';
import { SettingsService } from './settings.service.js';

/** This consumer answers requests about the settings of assistants. */
@Controller()
export class SettingsConsumer {
  constructor(
    private readonly settings: SettingsService,
    private readonly publishing: PublishingService,
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
}
