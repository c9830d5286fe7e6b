/** States of typing in a chat. */
export const TYPING_STATES = ['composing', 'recording', 'paused'] as const;
export type TypingState = (typeof TYPING_STATES)[number];

/** Typing of an account, as a person was shown it. */
export interface SeenTyping {
  /** Phone of the account. */
  from: string;
  /** Address of the group it was in; null: in the chat of the two. */
  group: string | null;
  state: TypingState;
  at: Date;
  /** Number of changes. */
  changes: number;
}
