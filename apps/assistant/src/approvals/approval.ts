import type { ToolCallState } from '@svc/contracts';

/** A call of a tool on which a person decides. */
export interface Approval {
  id: string;
  tenantId: string;
  sessionId: string;
  chat: string;
  /** Phone number of the contact, where the platform has told it. */
  phone: string | null;
  tool: string;
  /** Arguments as JSON; null: the model has heard what came of it, and they are forgotten. */
  arguments: string | null;
  state: ToolCallState;
  /** Outcome of the call; null: it is not known, or nobody has decided. */
  outcome: string | null;
  /** Number of the try: whoever ends it asks for it. */
  claim: number;
}
