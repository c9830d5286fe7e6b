import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  BoundEndpointRef,
  type BoundEndpointReply,
  CreateEndpoint,
  CreateEndpointV1,
  DeleteBoundEndpoint,
  DeleteBoundEndpointV1,
  DeleteEndpoint,
  DeleteEndpointV1,
  EndpointRef,
  type EndpointReply,
  type EndpointsReply,
  type EndpointWithSecretReply,
  GetBoundEndpoint,
  GetEndpoint,
  ListEndpoints,
  ListEndpointsV1,
  PutBoundEndpoint,
  PutBoundEndpointV1,
  UpdateEndpoint,
  UpdateEndpointV1,
} from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { BoundEndpointsService } from './bound-endpoints.service.js';
import { EndpointsService } from './endpoints.service.js';

/** This consumer hears what other services ask about endpoints. */
@Controller()
export class EndpointsConsumer {
  constructor(
    private readonly endpoints: EndpointsService,
    private readonly bound: BoundEndpointsService,
  ) {}

  @OnRequest(CreateEndpoint)
  async create(@Payload() request: CreateEndpointV1): Promise<EndpointWithSecretReply> {
    return { endpoint: await this.endpoints.create(request) };
  }

  @OnRequest(GetEndpoint)
  async get(@Payload() request: EndpointRef): Promise<EndpointReply> {
    return { endpoint: await this.endpoints.get(request) };
  }

  @OnRequest(ListEndpoints)
  async list(@Payload() request: ListEndpointsV1): Promise<EndpointsReply> {
    return { endpoints: await this.endpoints.list(request) };
  }

  @OnRequest(UpdateEndpoint)
  async update(@Payload() request: UpdateEndpointV1): Promise<EndpointReply> {
    return { endpoint: await this.endpoints.update(request) };
  }

  @OnRequest(DeleteEndpoint)
  async delete(@Payload() request: DeleteEndpointV1): Promise<EndpointReply> {
    return { endpoint: await this.endpoints.delete(request) };
  }

  @OnRequest(PutBoundEndpoint)
  async putBound(@Payload() request: PutBoundEndpointV1): Promise<BoundEndpointReply> {
    return { endpoint: await this.bound.put(request) };
  }

  @OnRequest(GetBoundEndpoint)
  async getBound(@Payload() request: BoundEndpointRef): Promise<BoundEndpointReply> {
    return { endpoint: await this.bound.get(request) };
  }

  @OnRequest(DeleteBoundEndpoint)
  async deleteBound(@Payload() request: DeleteBoundEndpointV1): Promise<BoundEndpointReply> {
    await this.endpoints.deleteBound(request);
    return { endpoint: null };
  }
}
