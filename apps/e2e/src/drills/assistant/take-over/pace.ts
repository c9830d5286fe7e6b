import { TWO_PARTS } from '../questions.js';

/** Pace at which a session answers. */
export interface Pace {
  /** First word of its questions: the model knows by it how fast to answer. */
  word: string;
  settings: object;
  /** Time from the question to the last part of its answer and a little beyond, in ms: moments are drawn from it. */
  spanMs: number;
}

const SETTINGS = { splitAnswers: true, ignoreAutoReplies: true };

/** Paces of turns: of one half of the sessions each step takes its time, and of the other one all is over at once, so that most moments are of a send. */
export const PACES: readonly Pace[] = [
  { word: 'slow', settings: { ...SETTINGS, debounceMs: 300, typing: true }, spanMs: 3_000 },
  { word: 'quick', settings: { ...SETTINGS, debounceMs: 0, typing: false }, spanMs: 600 },
];

/** Answers of the model. */
export const RULES = [
  { when: { text: 'slow' }, text: TWO_PARTS, delayMs: 300, pieceMs: 40 },
  { text: TWO_PARTS },
];
