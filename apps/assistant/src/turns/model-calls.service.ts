import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { GiveBackLlmCall, type SubscriptionState, TakeLlmCall } from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { PeriodicTasks } from '@svc/service';
import { type ModelAnswer, ModelFailure } from '../answers/model.js';
import type { BrainQuestion } from '../brains/brain.js';
import { Brains } from '../brains/brains.service.js';
import { AssistantConfig } from '../config.js';
import { type AnsweredCall, CallRepository, type LeftCall } from './call.repository.js';
import { dayOf } from './checks.service.js';
import { atStep } from './steps.js';
import type { Interruption, Turn } from './turn.js';

/** Most calls of one turn without an answer: after them a person gets the conversation. */
const MOST_CALLS = 3;
/** Most calls of one turn that were left without an end, as by processes that died: each may have cost tokens. */
const MOST_LEFT = 10;
/** Longest wait that a server may ask for. */
const WAIT_MAX_MS = 60_000;
const WAIT_MS = 1_000;
const SETTLE_MS = 5_000;

/** A question to the models of a provider. */
export type TurnQuestion = Pick<BrainQuestion, 'messages' | 'maxTokens' | 'tools' | 'access'>;

/** Outcome of a question: an answer, or what failed for good, or an interruption. */
export type CallOutcome = { call: AnsweredCall; answer: ModelAnswer } | { failed: string } | Interruption;

/** This service calls models for a turn: each call is counted before it begins, and one that cannot have cost anything is given back. */
@Injectable()
export class ModelCallsService {
  constructor(
    private readonly brains: Brains,
    private readonly calls: CallRepository,
    private readonly rpc: RpcClient,
    private readonly config: AssistantConfig,
    tasks: PeriodicTasks,
  ) {
    tasks.add('calls that were left', SETTLE_MS, () => this.settleLeft());
  }

  /** Asks the models of the provider one after the other, until one answers. */
  async ask(
    turn: Turn,
    question: TurnQuestion,
    subscription: SubscriptionState,
    signal: AbortSignal,
  ): Promise<CallOutcome> {
    // Whatever keeps a turn from its end must not ask for ever.
    if ((await this.calls.failuresOf(turn)) >= MOST_LEFT) return { failed: 'TOO_MANY_CALLS' };
    let failure: ModelFailure | undefined;
    for (const model of question.access.models) {
      const outcome = await this.askModel(turn, { ...question, model }, subscription, signal);
      if (!(outcome instanceof ModelFailure)) return outcome;
      failure = outcome;
      signal.throwIfAborted();
    }
    return this.afterFailure(turn, failure ?? new ModelFailure('refused', 'NO_MODEL'));
  }

  private async askModel(
    turn: Turn,
    question: TurnQuestion & { model: string },
    subscription: SubscriptionState,
    signal: AbortSignal,
  ): Promise<CallOutcome | ModelFailure> {
    const callId = randomUUID();
    if (!(await this.calls.begin(callId, turn, question.model))) return 'gone';
    const { admitted } = await this.rpc.request(TakeLlmCall, { ...dayOf(subscription), callId });
    if (!admitted) {
      await this.calls.fail(callId, false);
      return { end: { outcome: 'CALLS_USED_UP' } };
    }
    if (!(await this.calls.noteAsked(callId))) {
      await this.rpc.request(GiveBackLlmCall, { callId, tenantId: turn.tenantId });
      return 'gone';
    }
    atStep('a-4');
    try {
      const { modelTimeoutMs: timeoutMs } = this.config;
      const answer = await this.brains.ask({ ...question, conversation: turn, timeoutMs, signal });
      return { call: { id: callId, tokens: answer.tokens, model: answer.model }, answer };
    } catch (error) {
      if (!(error instanceof ModelFailure)) throw error;
      const isAsked = error.kind === 'lost';
      if (!isAsked) await this.calls.noteAsked(callId, false);
      await this.settle({ id: callId, tenantId: turn.tenantId, isAsked });
      return error;
    }
  }

  /** Settles the calls of processes that have ended, of a turn or of those that have ended: asked in vain, or never. */
  async settleLeft(turn?: Turn): Promise<void> {
    for (const call of await this.calls.leftCalls(turn)) await this.settle(call);
  }

  /** Ends a call without an answer. One that the model never got is given back first: whoever finds it half done does it again. */
  private async settle({ id: callId, tenantId, isAsked }: LeftCall): Promise<void> {
    if (!isAsked) await this.rpc.request(GiveBackLlmCall, { callId, tenantId });
    await this.calls.fail(callId, isAsked);
  }

  /** Tries again later what may go better then, some times; a refusal will be one again. */
  private async afterFailure(turn: Turn, { kind, code, retryAfterMs }: ModelFailure): Promise<CallOutcome> {
    const count = await this.calls.failuresOf(turn);
    if (kind === 'refused' || count >= MOST_CALLS) return { failed: code };
    return { waitMs: Math.min(WAIT_MAX_MS, retryAfterMs ?? WAIT_MS * count) };
  }
}
