import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  GetPlatformVersion,
  type PlatformVersionReply,
  SetPlatformVersion,
  SetPlatformVersionV1,
} from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { VersionsService } from './versions.service.js';

/** Takes what the operator asks about the platform's version; any worker answers. */
@Controller()
export class VersionsConsumer {
  constructor(private readonly versions: VersionsService) {}

  @OnRequest(GetPlatformVersion)
  get(): Promise<PlatformVersionReply> {
    return this.versions.get();
  }

  @OnRequest(SetPlatformVersion)
  set(@Payload() request: SetPlatformVersionV1): Promise<PlatformVersionReply> {
    return this.versions.set(request);
  }
}
