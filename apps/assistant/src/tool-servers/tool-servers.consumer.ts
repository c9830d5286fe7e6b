import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  ChangeToolServerV1,
  DeleteToolServer,
  GetToolServer,
  ListToolServers,
  RefreshToolServer,
  SetToolServer,
  SetToolServerV1,
  TenantRef,
  ToolServerRef,
  type ToolServerReply,
  type ToolServersReply,
} from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { ToolServersService } from './tool-servers.service.js';

/** This consumer answers requests about the MCP servers of tenants. */
@Controller()
export class ToolServersConsumer {
  constructor(private readonly servers: ToolServersService) {}

  @OnRequest(ListToolServers)
  async list(@Payload() { tenantId }: TenantRef): Promise<ToolServersReply> {
    return { servers: await this.servers.list(tenantId) };
  }

  @OnRequest(GetToolServer)
  async get(@Payload() { tenantId, name }: ToolServerRef): Promise<ToolServerReply> {
    return { server: await this.servers.get(tenantId, name) };
  }

  @OnRequest(SetToolServer)
  async set(@Payload() request: SetToolServerV1): Promise<ToolServerReply> {
    return { server: await this.servers.set(request) };
  }

  @OnRequest(RefreshToolServer)
  async refresh(@Payload() request: ChangeToolServerV1): Promise<ToolServerReply> {
    return { server: await this.servers.refresh(request) };
  }

  @OnRequest(DeleteToolServer)
  async delete(@Payload() request: ChangeToolServerV1): Promise<object> {
    await this.servers.delete(request);
    return {};
  }
}
