import type { LlmKey } from './llm-keys.js';
import type { LlmCallKind } from './rules.js';
import type { Usage } from './usage.js';

/** Ends of a call. LEFT: its caller hung up. */
export const CALL_STATES = ['OPEN', 'COMPLETE', 'CUT', 'LEFT', 'REFUSED'] as const;
export type CallState = (typeof CALL_STATES)[number];

/** A call as the log has it. */
export interface LoggedCall {
  /** Key that it came with. */
  key: LlmKey;
  /** Number among the calls of its key, from 1. */
  number: number;
  /** Id of its answer. */
  id: string;
  kind: LlmCallKind;
  state: CallState;
  beganAt: Date;
  endedAt: Date | null;
  /** HTTP status of its answer. */
  status: number | null;
  /** JSON of what was asked; null: not read yet, or too large. */
  asked: string | null;
  /** Words of the answer. */
  said: string | null;
  usage: Usage | null;
}

/** Calls of one key that came after a number, and how many more did. */
export interface CallPage {
  items: LoggedCall[];
  lost: number;
}

const MOST_CALLS = 1_000;
const MOST_BYTES = 16_000_000;
const LONGEST_TEXT = 10_000;
const LARGEST_CALL = 500_000;

/** The latest calls of all keys, as many as there is room for. */
export class CallLog {
  private readonly items: LoggedCall[] = [];
  private bytes = 0;

  constructor(
    private readonly mostCalls = MOST_CALLS,
    private readonly mostBytes = MOST_BYTES,
  ) {}

  add(call: LoggedCall): void {
    this.items.push(call);
    this.makeRoom();
  }

  /** Writes down what a call has asked for; long texts, such as files, as their beginning. */
  setAsked(call: LoggedCall, body: unknown): void {
    const text = JSON.stringify(body, (_, value: unknown) => shortened(value));
    // A call that is no longer in the log must not count.
    if (text.length > LARGEST_CALL || !this.items.includes(call)) return;
    call.asked = text;
    this.bytes += text.length;
    this.makeRoom();
  }

  /** Writes down the words of the answer. */
  setSaid(call: LoggedCall, text: string): void {
    if (!this.items.includes(call)) return;
    // A copy, because a part of a long text keeps all of it in memory.
    call.said = Buffer.from(String(shortened(text))).toString();
    this.bytes += call.said.length;
    this.makeRoom();
  }

  after(key: LlmKey, number: number): CallPage {
    const items = this.items.filter((call) => call.key === key && call.number > number);
    return { items, lost: Math.max(0, key.calls - number) - items.length };
  }

  clear(): void {
    this.items.length = 0;
    this.bytes = 0;
  }

  private makeRoom(): void {
    while (this.items.length > this.mostCalls || this.bytes > this.mostBytes) {
      const oldest = this.items.shift();
      this.bytes -= (oldest?.asked?.length ?? 0) + (oldest?.said?.length ?? 0);
    }
  }
}

const shortened = (value: unknown): unknown =>
  typeof value === 'string' && value.length > LONGEST_TEXT
    ? `${value.slice(0, 100)}… (${value.length} characters)`
    : value;
