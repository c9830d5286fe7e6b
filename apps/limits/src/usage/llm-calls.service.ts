import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { GiveBackLlmCallV1, LlmCallReply, TakeLlmCallV1 } from '@svc/contracts';
import { DataSource } from 'typeorm';
import { CapsService } from '../caps/caps.service.js';

/** The answer of the database function `take_llm_call`. */
interface Answer {
  admitted: boolean;
  used: number;
  reset_at: Date;
  retry_after: number;
}

/** This service counts calls of language models against the calls a day that a tenant has. */
@Injectable()
export class LlmCallsService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly caps: CapsService,
  ) {}

  /** Takes one call, once per id. A tenant without a limit is still counted. */
  async take(question: TakeLlmCallV1): Promise<LlmCallReply> {
    const { callId, tenantId } = question;
    const { calls } = question.caps ?? (await this.caps.ask(question.tenantId));
    const [answer] = await this.dataSource.query<[Answer]>('SELECT * FROM take_llm_call($1, $2, $3)', [
      callId,
      tenantId,
      calls,
    ]);
    if (answer.admitted) return { admitted: true };
    const { used, reset_at: resetAt, retry_after: retryAfterSeconds } = answer;
    // A call without a limit is never refused.
    const refusal = { limit: calls ?? 0, used, resetAt: resetAt.toISOString(), retryAfterSeconds };
    return { admitted: false, refusal: { layer: 'plan', ...refusal } };
  }

  /** Gives a call back, once; says whether it still counted. */
  async giveBack({ callId, tenantId }: GiveBackLlmCallV1): Promise<boolean> {
    const [row] = await this.dataSource.query<[{ given: boolean }]>(
      'SELECT give_back_llm_call($1, $2) AS given',
      [callId, tenantId],
    );
    return row.given;
  }
}
