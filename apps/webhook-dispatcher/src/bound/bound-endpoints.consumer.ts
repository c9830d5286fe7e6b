import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  BoundEndpointRef,
  type BoundEndpointReply,
  GetBoundEndpoint,
  PutBoundEndpoint,
  PutBoundEndpointV1,
} from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { BoundEndpointsService } from './bound-endpoints.service.js';

/** This consumer answers requests of other services about the endpoints of sessions in external mode. */
@Controller()
export class BoundEndpointsConsumer {
  constructor(private readonly endpoints: BoundEndpointsService) {}

  @OnRequest(PutBoundEndpoint)
  put(@Payload() request: PutBoundEndpointV1): Promise<BoundEndpointReply> {
    return this.endpoints.put(request);
  }

  @OnRequest(GetBoundEndpoint)
  get(@Payload() request: BoundEndpointRef): Promise<BoundEndpointReply> {
    return this.endpoints.get(request);
  }
}
