/** Kinds of calls: an answer, the words of a voice note, the list of models. */
export const LLM_CALLS = ['chat', 'transcription', 'models'] as const;
export type LlmCallKind = (typeof LLM_CALLS)[number];

/** Facts of a call that rules look at. */
export interface CallFacts {
  call: LlmCallKind;
  model: string;
  /** Last message of a user, or the words of a file. */
  text: string;
  /** Number of the messages of users. */
  turn: number;
  /** Tool whose result comes last. */
  afterTool: string | undefined;
}

/** Condition under which a rule holds; what is left out may be anything. */
export interface RuleCondition {
  call?: LlmCallKind;
  model?: string;
  /** Part of the text, in whatever case. */
  text?: string;
  turn?: number;
  afterTool?: string;
}

/** A rule: which calls it is for, and how they are answered. */
export interface LlmRule {
  when?: RuleCondition;
  /** Number of calls that it answers. */
  times?: number;
  text?: string;
  toolCalls?: { name: string; arguments: string }[];
  usage?: { promptTokens?: number; completionTokens?: number; cachedTokens?: number };
  /** Numbers of tokens are left out. */
  hidesUsage?: boolean;
  delayMs?: number;
  /** Time from one piece of a stream to the next. */
  pieceMs?: number;
  /** Number of pieces after which the connection is cut. */
  cutAfter?: number;
  error?: { status: number; code?: string; message?: string; retryAfterSeconds?: number };
}

/** The rules of one key, in their order. */
export class LlmRules {
  rules: LlmRule[] = [];
  /** Number of calls that each of them has answered. */
  used: number[] = [];
  /** Obeys whatever anybody writes. */
  obedient = false;

  /** Puts other rules in the place of all. */
  set(rules: LlmRule[], obedient: boolean): void {
    this.rules = rules;
    this.used = rules.map(() => 0);
    this.obedient = obedient;
  }

  /** Takes the first rule that holds for a call; undefined: none does. */
  take(facts: CallFacts): LlmRule | undefined {
    const at = this.rules.findIndex(
      (rule, index) => (this.used[index] ?? 0) < (rule.times ?? Infinity) && holds(rule, facts),
    );
    if (at >= 0) this.used[at] = (this.used[at] ?? 0) + 1;
    return this.rules[at];
  }
}

function holds(rule: LlmRule, facts: CallFacts): boolean {
  const { call = 'chat', model, text = '', turn } = rule.when ?? {};
  return (
    call === facts.call &&
    isAsked(model, facts.model) &&
    isAsked(turn, facts.turn) &&
    facts.text.toLowerCase().includes(text.toLowerCase()) &&
    answersResult(rule, facts.afterTool)
  );
}

const isAsked = <T>(wanted: T | undefined, fact: T): boolean => wanted === undefined || wanted === fact;

/** Says whether a rule may answer after this tool. One that calls tools would otherwise answer the result by the same call, for ever. */
function answersResult({ when, toolCalls = [] }: LlmRule, tool: string | undefined): boolean {
  if (when?.afterTool !== undefined) return when.afterTool === tool;
  return tool === undefined || toolCalls.length === 0;
}
