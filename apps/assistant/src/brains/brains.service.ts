import { Injectable } from '@nestjs/common';
import { conversationIdOf } from '@svc/contracts';
import { type ModelAnswer, ModelFailure, Models, TEXT_MAX, tokensOf } from '../answers/model.js';
import { HAND_OVER } from '../answers/prompt.js';
import { storable } from '../storable.js';
import { BRAINS } from './adapters.js';
import type { Brain, BrainAnswer, BrainQuestion, BrainRequest } from './brain.js';
import { BrainConversations } from './brain-conversations.js';
import { postJson, unreadable } from './post.js';

/** This service asks whoever answers for a tenant: a language model, or a brain of somebody else by its adapter. */
@Injectable()
export class Brains {
  constructor(
    private readonly models: Models,
    private readonly conversations: BrainConversations,
  ) {}

  /** @throws ModelFailure */
  ask(question: BrainQuestion): Promise<ModelAnswer> {
    const { kind } = question.access;
    return kind === 'openai' ? this.models.ask(question) : this.askForeign(question, BRAINS[kind]);
  }

  private async askForeign(question: BrainQuestion, brain: Brain): Promise<ModelAnswer> {
    const { access, messages, conversation } = question;
    const { tenantId, sessionId, chat: contact } = conversation;
    const foreignId = await this.conversations.find(question);
    const names = { id: conversationIdOf({ tenantId, sessionId, contact }), sessionId, foreignId };
    const asked = brain.ask(access.baseUrl, messages, names);
    const answer = await this.post(question, brain, asked).catch(async (error: unknown) => {
      // The brain has forgotten the conversation: the next try begins another.
      if (foreignId === undefined || !(error instanceof ModelFailure) || error.code !== 'HTTP_404')
        throw error;
      await this.conversations.forget(question);
      throw new ModelFailure('away', error.code, 0);
    });
    if (answer.foreignId) await this.conversations.keep(question, storable(answer.foreignId));
    const text = storable(answer.text.slice(0, TEXT_MAX));
    const toolCalls = answer.isHandedOver ? [{ id: '', name: HAND_OVER, arguments: '{}' }] : [];
    return { model: question.model, text, toolCalls, tokens: tokensOf(answer.usage, asked.body, text) };
  }

  private async post(
    { access, timeoutMs, signal }: BrainQuestion,
    brain: Brain,
    { url, body }: BrainRequest,
  ): Promise<BrainAnswer> {
    const dispatcher = this.models.dispatcherFor(access);
    const headers: Record<string, string> = access.key ? { authorization: `Bearer ${access.key}` } : {};
    const reply = await postJson(url, body, { headers, dispatcher, timeoutMs, signal });
    const answer = brain.read(reply);
    if (!answer) throw unreadable();
    return answer;
  }
}
