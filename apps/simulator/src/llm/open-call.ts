import type { ServerResponse } from 'node:http';
import { v7 as uuidv7 } from 'uuid';
import type { CallLog, LoggedCall } from './call-log.js';
import { LlmError } from './llm-error.js';
import type { LlmKey } from './llm-keys.js';
import type { LlmCallKind, LlmRule } from './rules.js';
import type { Usage } from './usage.js';

/** Counts that a call goes into, by its end. */
const COUNTS = { COMPLETE: 'complete', CUT: 'cut', LEFT: 'left', REFUSED: 'refused' } as const;

/** Parts of an answer: in a stream each is a piece, otherwise they are one body. */
export interface Parts {
  head?: string;
  pieces: string[];
  end?: string;
}

/** Words and numbers of an answer, for the log and the counts. */
export interface Given {
  text: string;
  usage?: Usage;
  audioSeconds?: number;
}

/** A call that is being answered. It is counted as what became of it: whole, cut, refused, or left by its caller. */
export class OpenCall {
  private readonly logged: LoggedCall;
  private end: keyof typeof COUNTS = 'COMPLETE';
  private given: Given | undefined;

  constructor(
    readonly key: LlmKey,
    kind: LlmCallKind,
    private readonly response: ServerResponse,
    private readonly log: CallLog,
  ) {
    const counts = key.counts[kind];
    counts.begun += 1;
    counts.open += 1;
    counts.mostOpen = Math.max(counts.mostOpen, counts.open);
    this.logged = {
      ...{ key, kind, number: key.calls, id: `${kind}-${uuidv7()}`, state: 'OPEN', beganAt: new Date() },
      ...{ endedAt: null, status: null, asked: null, said: null, usage: null },
    };
    log.add(this.logged);
    response.once('close', () => this.close());
  }

  get id(): string {
    return this.logged.id;
  }

  /** Says whether the caller has hung up. */
  get isOver(): boolean {
    return this.response.destroyed;
  }

  asks(body: unknown): void {
    this.log.setAsked(this.logged, body);
  }

  /** Waits; ends earlier when the caller hangs up. */
  async wait(ms = 0): Promise<void> {
    if (ms === 0 || this.isOver) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.response.off('close', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.response.once('close', done);
    });
  }

  /** Gives an answer, or as much of it as the rule lets through. */
  async give(
    type: string,
    { head = '', pieces, end = '' }: Parts,
    given: Given,
    rule?: LlmRule,
  ): Promise<void> {
    const { cutAfter, pieceMs } = rule ?? {};
    this.given = given;
    this.response.writeHead(200, { 'content-type': type, 'cache-control': 'no-cache' });
    const parts = [head, ...pieces.slice(0, cutAfter), cutAfter === undefined ? end : ''];
    for (const part of pieceMs === undefined ? [parts.join('')] : parts) {
      await this.send(part);
      await this.wait(pieceMs);
      if (this.isOver) return;
    }
    if (cutAfter === undefined) this.response.end();
    else this.cut();
  }

  /** Closes the connection in the middle. */
  cut(): void {
    this.end = 'CUT';
    this.response.destroy();
  }

  refuse(error: unknown): void {
    this.end = 'REFUSED';
    answerError(this.response, error);
  }

  /** Resolves when a part of the answer is on its way, so that a cut comes after it. */
  private async send(part: string): Promise<void> {
    if (part !== '') await new Promise<void>((resolve) => this.response.write(part, () => resolve()));
  }

  private close(): void {
    const { logged, given, response } = this;
    if (this.end !== 'CUT' && !response.writableFinished) this.end = 'LEFT';
    logged.state = this.end;
    logged.endedAt = new Date();
    logged.status = response.headersSent ? response.statusCode : null;
    logged.usage = given?.usage ?? null;
    if (given) this.log.setSaid(logged, given.text);
    this.count();
  }

  private count(): void {
    const { key, kind } = this.logged;
    const counts = key.counts[kind];
    counts.open -= 1;
    counts[COUNTS[this.end]] += 1;
    if (this.end !== 'COMPLETE') return;
    const { usage, audioSeconds = 0 } = this.given ?? {};
    key.given.promptTokens += usage?.promptTokens ?? 0;
    key.given.completionTokens += usage?.completionTokens ?? 0;
    key.given.cachedTokens += usage?.cachedTokens ?? 0;
    key.given.audioSeconds += audioSeconds;
  }
}

/** Answers with an error in the words of the providers' API; in the middle of an answer it can but hang up. */
export function answerError(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy();
  const known = error instanceof LlmError ? error : new LlmError(500, 'something unexpected happened');
  response.writeHead(known.status, { 'content-type': 'application/json', ...known.headers });
  response.end(JSON.stringify(known.body));
}
