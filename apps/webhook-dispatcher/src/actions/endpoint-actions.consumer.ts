import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  ChangeEndpointStateV1,
  type EndpointHealthReply,
  EndpointRef,
  type EndpointReply,
  type EndpointTestReply,
  type EndpointWithSecretReply,
  GetEndpointHealth,
  PauseEndpoint,
  ReactivateEndpoint,
  RotateEndpointSecret,
  RotateEndpointSecretV1,
  TestEndpoint,
} from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { LongReads } from '@svc/service';
import { EndpointActionsService } from './endpoint-actions.service.js';
import { EndpointHealthService } from '../endpoints/endpoint-health.service.js';
import { EndpointTestService } from './endpoint-test.service.js';

/** This consumer answers requests of other services for actions on an endpoint. */
@Controller()
export class EndpointActionsConsumer {
  constructor(
    private readonly actions: EndpointActionsService,
    private readonly tests: EndpointTestService,
    private readonly healths: EndpointHealthService,
    private readonly reads: LongReads,
  ) {}

  @OnRequest(RotateEndpointSecret)
  async rotateSecret(@Payload() request: RotateEndpointSecretV1): Promise<EndpointWithSecretReply> {
    return { endpoint: await this.actions.rotateSecret(request) };
  }

  @OnRequest(PauseEndpoint)
  async pause(@Payload() request: ChangeEndpointStateV1): Promise<EndpointReply> {
    return { endpoint: await this.actions.pause(request) };
  }

  @OnRequest(ReactivateEndpoint)
  async reactivate(@Payload() request: ChangeEndpointStateV1): Promise<EndpointReply> {
    return { endpoint: await this.actions.reactivate(request) };
  }

  @OnRequest(TestEndpoint)
  async test(@Payload() request: EndpointRef): Promise<EndpointTestReply> {
    return { result: await this.tests.test(request) };
  }

  @OnRequest(GetEndpointHealth)
  async health(@Payload() request: EndpointRef): Promise<EndpointHealthReply> {
    const { tenantId } = request;
    return { health: await this.reads.run(tenantId, () => this.healths.health(request)) };
  }
}
