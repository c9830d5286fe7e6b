import { Injectable } from '@nestjs/common';
import {
  AppError,
  type CanceledMessage,
  type EndedMessage,
  EndMessage,
  type FailureCode,
} from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { MessagesService } from '../messages/messages.service.js';
import type { Message } from '../messages/message.entity.js';
import { MessagesRepository } from '../messages/messages.repository.js';
import { ScheduleRepository } from './schedule.repository.js';
import { sendCommandOf } from '../sending/send-publisher.js';

/** This class ends messages that have not gone out. The workers' ledger alone knows whether one has, so it decides. */
@Injectable()
export class CancellationService {
  constructor(
    private readonly conversations: MessagesService,
    private readonly messages: MessagesRepository,
    private readonly schedule: ScheduleRepository,
    private readonly rpc: RpcClient,
  ) {}

  /** @throws AppError `MESSAGE_STATE_CONFLICT` when it is too late. */
  async cancel(tenantId: string, jobId: string): Promise<CanceledMessage> {
    const message = await this.conversations.owned(tenantId, jobId);
    const isOpen = message.direction === 'OUTBOUND' && message.status === 'QUEUED';
    const { status, failure } = isOpen ? await this.end(message, 'CANCELED') : message;
    if (failure?.code === 'CANCELED') return { status: 'FAILED', jobId, failure };
    throw new AppError('MESSAGE_STATE_CONFLICT', undefined, { status });
  }

  /** Ends a message unless it has begun to go out. @returns what became of it. */
  async end(
    message: Message,
    code: FailureCode,
    detail?: string,
  ): Promise<Pick<EndedMessage, 'status' | 'failure'>> {
    const { tenantId, id: jobId } = message;
    const request = { tenantId, message: sendCommandOf(message), code, ...(detail ? { detail } : {}) };
    const ended = await this.rpc.request(EndMessage, request);
    // The event says the same, later: a caller that asks now is to see it.
    const { status, keyId, failure } = ended;
    if (status === 'FAILED')
      await this.messages.advance({ tenantId, jobId, status, keyId, failure, at: new Date() });
    if (message.sendAt) await this.schedule.drop(jobId);
    return ended;
  }
}
