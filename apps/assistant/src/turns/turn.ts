import type { AssistantMode, HandoffReason, MessageBody, TurnOutcome } from '@svc/contracts';

/** A turn that this process has claimed, or a conversation that is tried out: nothing of that is sent. */
export interface Turn {
  id: string;
  purpose: 'answer' | 'playground';
  tenantId: string;
  sessionId: string;
  /** Address of the chat. */
  chat: string;
  /** Phone number of the contact, where the platform has told it. */
  phone: string | null;
  state: 'ANSWERING' | 'ANSWERED';
  /** Number of the claim: every later write of this process asks for it. */
  claim: string;
  /** Number of messages, and of deletions of them: an answer is of one generation. */
  generation: number;
  /** Time at which the newest message arrived. */
  newestAt: Date;
  /** Mode that holds for the contact; null: it is not known yet. */
  mode: AssistantMode | null;
  /** Parts of the answer, once there is one. */
  parts: string[] | null;
  /** Parts that were sent. */
  sent: number;
  /** Version of the settings of the answer. */
  version: number | null;
  /** Reason for which the conversation is handed over behind the answer. */
  handoff: HandoffReason | null;
  /** Detail of the end: what failed. */
  detail: string | null;
}

/** Number of answers that the contact of a turn has had: in 30 days, 24 hours and ten minutes; and of texts outside the hours, in eight hours. */
export interface Past {
  /** Time by the clock of the tenant. */
  now: Date;
  month: number;
  day: number;
  lately: number;
  away: number;
}

/** One message of a turn. */
export interface TurnMessage {
  id: string;
  receivedAt: Date;
  body: MessageBody;
}

/** The answer to a turn, before it is sent. */
export interface Answer {
  /** Texts of its messages; none where the contact reads nothing. */
  parts: string[];
  /** Version of the settings. */
  version: number;
  handoff: HandoffReason | null;
  detail: string | null;
  /** Sources of which the model has read passages. */
  sources?: string[];
}

/** The end of a turn. */
export interface TurnEnd {
  outcome: TurnOutcome;
  /** Detail of the outcome: the code of a refusal, or what failed. */
  detail?: string | null;
}

/** A turn that ends, that waits, or that is another process's by now. */
export type Interruption = { end: TurnEnd } | { waitMs: number } | 'gone';
