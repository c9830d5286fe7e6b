/** What somebody does in a chat. */
export const TYPING_STATES = ['composing', 'recording', 'paused'] as const;
export type TypingState = (typeof TYPING_STATES)[number];

/** What a person was shown of an account. */
export interface SeenTyping {
  /** Phone of the account. */
  from: string;
  /** Address of the group it was in; null: in the chat of the two. */
  group: string | null;
  state: TypingState;
  at: Date;
  /** How often it changed. */
  changes: number;
}
