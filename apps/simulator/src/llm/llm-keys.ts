import { LLM_CALLS, type LlmCallKind, LlmRules } from './rules.js';

/** Numbers of calls of one kind, by their ends. */
export interface CallCounts {
  begun: number;
  /** Answers that were given from beginning to end. */
  complete: number;
  /** Answers that a rule cut. */
  cut: number;
  /** Answers whose caller hung up before the end. */
  left: number;
  /** Calls that were answered with an error. */
  refused: number;
  open: number;
  mostOpen: number;
}

/** Numbers of all complete answers together. */
export interface GivenTokens {
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number;
  audioSeconds: number;
}

const noCounts = (): CallCounts => ({
  ...{ begun: 0, complete: 0, cut: 0, left: 0, refused: 0, open: 0, mostOpen: 0 },
});

/** A key with which the stand-in is called: its rules and its counts are its own. */
export class LlmKey {
  readonly rules = new LlmRules();
  readonly counts: Record<LlmCallKind, CallCounts> = {
    chat: noCounts(),
    transcription: noCounts(),
    models: noCounts(),
  };
  readonly given: GivenTokens = { promptTokens: 0, completionTokens: 0, cachedTokens: 0, audioSeconds: 0 };

  constructor(readonly key: string) {}

  /** Number of its last call. */
  get calls(): number {
    return LLM_CALLS.reduce((total, kind) => total + this.counts[kind].begun, 0);
  }
}

const MOST_KEYS = 1_000;

/** The keys that were used or have rules. Who has not been heard of for longest is forgotten when there are too many. */
export class LlmKeys {
  private readonly keys = new Map<string, LlmKey>();

  constructor(private readonly most = MOST_KEYS) {}

  get(key: string): LlmKey | undefined {
    return this.keys.get(key);
  }

  all(): LlmKey[] {
    return [...this.keys.values()];
  }

  /** Finds a key, or makes it known. */
  use(key: string): LlmKey {
    const known = this.keys.get(key) ?? new LlmKey(key);
    this.keys.delete(key);
    this.keys.set(key, known);
    const [oldest = key] = this.keys.keys();
    if (this.keys.size > this.most) this.keys.delete(oldest);
    return known;
  }

  forget(key: string): void {
    this.keys.delete(key);
  }

  clear(): void {
    this.keys.clear();
  }
}
