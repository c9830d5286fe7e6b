import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  DeleteTool,
  DeleteToolV1,
  ListTools,
  SetTool,
  SetToolV1,
  TenantRef,
  type ToolReply,
  type ToolsReply,
} from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { ToolsService } from './tools.service.js';

/** This consumer answers requests about the tools of tenants. */
@Controller()
export class ToolsConsumer {
  constructor(private readonly tools: ToolsService) {}

  @OnRequest(ListTools)
  async list(@Payload() { tenantId }: TenantRef): Promise<ToolsReply> {
    return { tools: await this.tools.list(tenantId) };
  }

  @OnRequest(SetTool)
  async set(@Payload() request: SetToolV1): Promise<ToolReply> {
    return { tool: await this.tools.set(request) };
  }

  @OnRequest(DeleteTool)
  async delete(@Payload() request: DeleteToolV1): Promise<object> {
    await this.tools.delete(request);
    return {};
  }
}
