import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  type ApprovedCall,
  ApproveToolCall,
  DecideToolCallV1,
  ListToolCalls,
  ListToolCallsV1,
  RefuseToolCall,
  type ToolCallsReply,
} from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { ApprovalsService } from './approvals.service.js';

/** This consumer answers requests about calls of tools on which a person decides. */
@Controller()
export class ApprovalsConsumer {
  constructor(private readonly approvals: ApprovalsService) {}

  @OnRequest(ListToolCalls)
  list(@Payload() request: ListToolCallsV1): Promise<ToolCallsReply> {
    return this.approvals.list(request);
  }

  @OnRequest(ApproveToolCall)
  approve(@Payload() request: DecideToolCallV1): Promise<ApprovedCall> {
    return this.approvals.approve(request);
  }

  @OnRequest(RefuseToolCall)
  async refuse(@Payload() request: DecideToolCallV1): Promise<object> {
    await this.approvals.refuse(request);
    return {};
  }
}
