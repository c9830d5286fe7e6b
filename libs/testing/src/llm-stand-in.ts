/** A rule by which the simulator's stand-in for language models answers calls; the README of the simulator says more. */
export interface LlmRule {
  when?: {
    call?: 'chat' | 'transcription' | 'models';
    model?: string;
    text?: string;
    turn?: number;
    afterTool?: string;
  };
  times?: number;
  text?: string;
  toolCalls?: { name: string; arguments: string }[];
  usage?: Partial<LlmUsage>;
  hidesUsage?: boolean;
  delayMs?: number;
  pieceMs?: number;
  cutAfter?: number;
  error?: { status: number; code?: string; message?: string; retryAfterSeconds?: number };
}

/** Numbers of tokens of one answer. */
export interface LlmUsage {
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number;
}

/** Numbers of calls by their ends. */
export interface LlmCounts {
  begun: number;
  complete: number;
  cut: number;
  left: number;
  refused: number;
  open: number;
  mostOpen: number;
}

/** Counts of one key; `given` is what all complete answers have used. */
export interface LlmKeyCounts {
  chat: LlmCounts;
  transcription: LlmCounts;
  models: LlmCounts;
  given: LlmUsage & { audioSeconds: number };
}

/** A call as the stand-in has written it down. */
export interface LlmCall {
  number: number;
  id: string;
  call: 'chat' | 'transcription' | 'models';
  state: 'OPEN' | 'COMPLETE' | 'CUT' | 'LEFT' | 'REFUSED';
  beganAt: string;
  endedAt: string | null;
  status: number | null;
  asked: Record<string, unknown> | null;
  said: string | null;
  usage: LlmUsage | null;
}

/** The stand-in for language models of a simulator, as one key has it to itself. */
export class LlmStandIn {
  private readonly url: string;

  /** @param control address of the simulator's control API. */
  constructor(
    control: string,
    readonly key: string,
  ) {
    this.url = `${control}/llm/keys/${encodeURIComponent(key)}`;
  }

  /** Says how calls are answered from now on; without a rule, by telling what was written. */
  async answer(...rules: LlmRule[]): Promise<void> {
    await this.put({ rules });
  }

  /** Has it do what anybody writes, where no rule holds. */
  async obey(...rules: LlmRule[]): Promise<void> {
    await this.put({ rules, obedient: true });
  }

  counts(): Promise<LlmKeyCounts> {
    return this.ask('GET', '');
  }

  /** Lists the calls since the one of a number. */
  calls(since = 0): Promise<{ items: LlmCall[]; cursor: number; lost: number }> {
    return this.ask('GET', `/calls?since=${since}`);
  }

  /** Forgets rules, counts and calls. @returns the last counts */
  forget(): Promise<LlmKeyCounts> {
    return this.ask('DELETE', '');
  }

  private put(body: { rules: LlmRule[]; obedient?: boolean }): Promise<unknown> {
    return this.ask('PUT', '/rules', body);
  }

  private async ask<T>(method: string, path: string, body?: object): Promise<T> {
    const content = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const response = await fetch(this.url + path, { method, ...content });
    if (!response.ok) throw new Error(`The simulator answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as T;
  }
}
