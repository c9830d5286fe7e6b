/** States of typing in a chat. */
export const TYPING_STATES = ['composing', 'recording', 'paused'] as const;
export type TypingState = (typeof TYPING_STATES)[number];

/** Typing of an account, as a person was shown it. */
export interface SeenTyping {
  state: TypingState;
  at: Date;
  /** Number of changes. */
  changes: number;
}
