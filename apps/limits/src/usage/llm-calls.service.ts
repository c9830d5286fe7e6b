import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { LlmCallReply, TakeLlmCallV1 } from '@svc/contracts';
import { DataSource } from 'typeorm';
import { LimitsConfig } from '../config.js';

interface Taken {
  admitted: boolean;
  used: number;
  reset_at: Date;
  retry_after: number;
}

/** Calls of language models, against those of the plan a day. */
@Injectable()
export class LlmCallsService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly config: LimitsConfig,
  ) {}

  /** The internal tenant is exempt and still counted. */
  async take({ callId, tenantId, plan, internal }: TakeLlmCallV1): Promise<LlmCallReply> {
    const limit = this.config.llmCallsOf(plan);
    const [taken] = await this.dataSource.query<[Taken]>('SELECT * FROM take_llm_call($1, $2, $3)', [
      callId,
      tenantId,
      internal ? null : limit,
    ]);
    if (taken.admitted) return { admitted: true };
    const { used, reset_at: resetAt, retry_after: retryAfterSeconds } = taken;
    const refusal = { limit, used, resetAt: resetAt.toISOString(), retryAfterSeconds };
    return { admitted: false, refusal: { layer: 'plan', ...refusal } };
  }
}
