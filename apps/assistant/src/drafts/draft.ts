/**
 * States of a draft: `OPEN` waits; `SENDING` was approved, and nobody knows yet whether it is sent, so that its text stays as it is; `SENT`;
 * `DISCARDED` by a person; `OVERTAKEN` by what somebody has written since.
 */
export type DraftState = 'OPEN' | 'SENDING' | 'SENT' | 'DISCARDED' | 'OVERTAKEN';

/** A draft, as whoever approves it needs it. */
export interface Draft {
  id: string;
  tenantId: string;
  sessionId: string;
  turnId: string;
  state: DraftState;
  /** Text that is sent; empty where it was discarded or overtaken. */
  text: string;
  /** Job of its message. */
  jobId: string;
  /** Newest message that it answers. */
  afterId: string;
  /** The contact has written since. */
  isOld: boolean;
}

/** The turn whose answer becomes a draft. */
export interface DraftedTurn {
  id: string;
  claim: string;
  sessionId: string;
  chat: string;
}

/** Names a conversation, or with no chat all of a session. */
export interface DraftsOf {
  tenantId: string;
  sessionId: string;
  chat?: string;
}
