import { Injectable } from '@nestjs/common';
import { type AssistantSettings, ERROR_CATALOGUE, SendAnswer } from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { jobIdOf } from '../answers/job-id.js';
import { TypingService } from '../answers/typing.service.js';
import { atStep } from './steps.js';
import type { Answer, Interruption, Turn } from './turn.js';
import { TurnRepository } from './turn.repository.js';

/** Wait before a part is sent again that could not go out now. */
const TRY_AGAIN_MS = 2_000;

/** This service sends the parts of an answer, each once, and none after a person has written. */
@Injectable()
export class SendingService {
  constructor(
    private readonly rpc: RpcClient,
    private readonly turns: TurnRepository,
    private readonly typing: TypingService,
  ) {}

  /** @returns what interrupts it; undefined where every part is sent. */
  async send(
    turn: Turn,
    { parts }: Answer,
    { typing }: AssistantSettings,
    signal: AbortSignal,
  ): Promise<Interruption | undefined> {
    for (const [index, text] of parts.entries()) {
      if (index < turn.sent) continue;
      if (typing && index > 0) await this.typing.before(turn, text, signal);
      const interruption = await this.sendPart(turn, index, text);
      if (interruption) return interruption;
      atStep('a-6');
      if (!(await this.turns.noteSent(turn, index + 1))) return 'gone';
    }
    return undefined;
  }

  private async sendPart(turn: Turn, index: number, text: string): Promise<Interruption | undefined> {
    const { id, tenantId, sessionId } = turn;
    const after = await this.turns.newestOf(turn);
    // The turn is gone with its session, or its contact.
    if (!after) return 'gone';
    const request = {
      jobId: jobIdOf(id, index),
      tenantId,
      sessionId,
      text,
      after,
      sentBy: 'ASSISTANT' as const,
    };
    const { outcome, refusal } = await this.rpc.request(SendAnswer, request);
    if (outcome === 'ACCEPTED') return undefined;
    if (outcome === 'OVERTAKEN') return { end: { outcome: 'HUMAN_ANSWERED' } };
    const { code = 'INTERNAL' } = refusal ?? {};
    if (code === 'CONTACT_OPTED_OUT') return { end: { outcome: code } };
    if (code === 'RATE_LIMITED') return { end: { outcome: 'MESSAGES_USED_UP' } };
    // The gateway may hear of a message later than this service does.
    if (ERROR_CATALOGUE[code].retryable || code === 'MESSAGE_NOT_FOUND') return { waitMs: TRY_AGAIN_MS };
    return { end: { outcome: 'REFUSED', detail: code } };
  }
}
