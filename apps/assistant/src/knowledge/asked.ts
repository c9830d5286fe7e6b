import type { SessionRef } from '@svc/contracts';

/** The turn in which something was asked. */
export interface Asked extends SessionRef {
  /** Id of the turn. */
  id: string;
  /** Address of the chat. */
  chat: string;
}
