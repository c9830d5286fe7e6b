import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  CountEndpoints,
  CreateEndpoint,
  CreateEndpointV1,
  DeleteEndpoint,
  DeleteEndpointV1,
  EndpointCount,
  EndpointRef,
  type EndpointReply,
  type EndpointsReply,
  type EndpointWithSecretReply,
  GetEndpoint,
  ListEndpoints,
  ListEndpointsV1,
  TenantRef,
  UpdateEndpoint,
  UpdateEndpointV1,
} from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { EndpointsService } from './endpoints.service.js';

/** This consumer answers requests of other services about endpoints. */
@Controller()
export class EndpointsConsumer {
  constructor(private readonly endpoints: EndpointsService) {}

  @OnRequest(CreateEndpoint)
  async create(@Payload() request: CreateEndpointV1): Promise<EndpointWithSecretReply> {
    return { endpoint: await this.endpoints.create(request) };
  }

  @OnRequest(CountEndpoints)
  async count(@Payload() request: TenantRef): Promise<EndpointCount> {
    return { count: await this.endpoints.count(request) };
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
}
