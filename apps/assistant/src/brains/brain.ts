import type { ModelMessage, Question } from '../answers/model.js';
import type { ProviderAccess } from '../providers/providers.service.js';

/** A question to whoever answers for a tenant. */
export interface BrainQuestion extends Question {
  access: ProviderAccess;
  /** Conversation that it is about. */
  conversation: { tenantId: string; sessionId: string; chat: string };
}

/** Names of the conversation, as a foreign brain gets them. */
export interface ConversationNames {
  /** Id of the conversation, as the API has it: it says nothing of the contact. */
  id: string;
  sessionId: string;
  /** Name that the brain has given the conversation itself; undefined: it knows it not yet. */
  foreignId: string | undefined;
}

/** A request to a foreign brain. */
export interface BrainRequest {
  url: string;
  body: object;
}

/** The answer of a foreign brain, as its adapter has read it. */
export interface BrainAnswer {
  text: string;
  /** A person shall get the conversation. */
  isHandedOver: boolean;
  /** Tokens, where the brain tells them; otherwise they are estimated. */
  usage?: { prompt_tokens: unknown; completion_tokens: unknown } | undefined;
  /** Name that the brain gives the conversation. */
  foreignId?: string | undefined;
}

/** Adapter of one kind of foreign brain: it writes the question, and reads the answer from the reply. */
export interface Brain {
  ask(baseUrl: string, messages: ModelMessage[], conversation: ConversationNames): BrainRequest;
  /** @returns undefined where the reply says nothing that it understands. */
  read(reply: Record<string, unknown>): BrainAnswer | undefined;
}
