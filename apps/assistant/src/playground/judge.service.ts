import { Injectable } from '@nestjs/common';
import { invalidField, type Judgement, type JudgeV1, type Verdict } from '@svc/contracts';
import { ProvidersService } from '../providers/providers.service.js';
import { CallRepository } from '../turns/call.repository.js';
import { ChecksService } from '../turns/checks.service.js';
import { ModelCallsService } from '../turns/model-calls.service.js';
import type { Interruption, Turn } from '../turns/turn.js';
import { questionOf, verdictsOf } from './judgement.js';
import { PlayRepository } from './play.repository.js';

/** Most tokens of a judgement: a line for each of ten criteria. */
const TOKENS_MAX = 1_000;

/** This service has the model of a tenant judge answers; what it costs is counted as that of a conversation that is tried out. */
@Injectable()
export class JudgeService {
  constructor(
    private readonly checks: ChecksService,
    private readonly plays: PlayRepository,
    private readonly providers: ProvidersService,
    private readonly modelCalls: ModelCallsService,
    private readonly calls: CallRepository,
  ) {}

  /** @throws AppError `VALIDATION_FAILED` where the business does not have the last word. */
  async judge(request: JudgeV1): Promise<Judgement> {
    if (request.messages.at(-1)?.from !== 'business')
      throw invalidField('messages', 'messages must end with one of the business');
    const ask = (turn: Turn, signal: AbortSignal) => this.ask(turn, request, signal);
    const { made, cost } = await this.plays.during(request, ask, noVerdicts(request, 'TIMEOUT'));
    return { verdicts: made, tokens: cost.tokens };
  }

  private async ask(turn: Turn, request: JudgeV1, signal: AbortSignal): Promise<Verdict[]> {
    const checked = await this.checks.checkPlay(turn);
    if (checked === 'gone' || !('subscription' in checked)) return noVerdicts(request, reasonOf(checked));
    const access = await this.providers.accessOf(turn.tenantId, null, checked.isSandbox);
    // A bot of the tenant answers contacts, and has no model to ask for anything else.
    if (access?.kind !== 'openai')
      return noVerdicts(request, access ? 'PROVIDER_HAS_NO_MODEL' : 'NOT_CONFIGURED');
    const question = { access, messages: questionOf(request), maxTokens: TOKENS_MAX, tools: [] };
    const outcome = await this.modelCalls.ask(turn, question, checked.subscription, signal);
    if (outcome === 'gone') return noVerdicts(request, 'AWAY');
    if ('failed' in outcome) return noVerdicts(request, outcome.failed);
    if (!('call' in outcome)) return noVerdicts(request, reasonOf(outcome));
    await this.calls.account(turn, outcome.call);
    return verdictsOf(outcome.answer.text, request.criteria.length);
  }
}

const noVerdicts = ({ criteria }: JudgeV1, code: string): Verdict[] =>
  criteria.map(() => ({ holds: null, reason: `There is no judgement: ${code}` }));

/** Names why no model was asked, or why none answered. What would be tried again later is a failure here. */
function reasonOf(interruption: Interruption): string {
  return interruption !== 'gone' && 'end' in interruption
    ? (interruption.end.detail ?? interruption.end.outcome)
    : 'AWAY';
}
