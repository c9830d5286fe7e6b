/** How long an answer is kept: so much later is a change seen at the latest, should the notice of it be lost. */
export const KEPT_MS = 750;
/** Part of that time after which whoever wants the answer has it asked for anew, without waiting for that. */
const RENEWED_AT = 0.75;
/** Answers that are kept at most; then they are asked for anew, all of them. */
const MOST = 10_000;

interface Kept<V> {
  answer: V;
  until: number;
  renewAt: number;
}

interface Asked<V> {
  now: Promise<V>;
  /** Those who came since `now` was asked. */
  next?: Promise<V>;
}

/**
 * Asks once for all who want to know the same at the same time, and keeps the answer for a moment where it is good news: whoever is
 * refused is refused by an answer that is new ([ADR 23](../../../../docs/adr/0023-good-news-is-kept-for-a-moment.md)).
 */
export class KnownAnswers<V> {
  private readonly asked = new Map<string, Asked<V>>();
  private readonly kept = new Map<string, Kept<V>>();
  private forgotten = 0;

  /** @param keepMs for how long an answer may be kept; 0: not at all. */
  constructor(private readonly keepMs: (answer: V) => number) {}

  /** The answer that is kept, or a new one. @param key what is asked; `question` is the same for all of one key. */
  async known(key: string, question: () => Promise<V>): Promise<V> {
    const kept = this.kept.get(key);
    const now = performance.now();
    if (!kept || kept.until <= now) return this.ask(key, question);
    if (kept.renewAt <= now) {
      kept.renewAt = Infinity;
      this.ask(key, question).catch(() => undefined); // whoever comes when it is over hears of it
    }
    return kept.answer;
  }

  /** A new answer. Nobody gets one to a question that was asked before they came: what they have seen happen is in it. */
  ask(key: string, question: () => Promise<V>): Promise<V> {
    const asked = this.asked.get(key);
    if (!asked) return this.begin(key, question);
    const begin = (): Promise<V> => this.begin(key, question);
    return (asked.next ??= asked.now.then(begin, begin));
  }

  /** Something has changed: of keys that begin like this nothing is kept, nor what is being asked at this moment. */
  forget(prefix: string): void {
    this.forgotten += 1;
    for (const key of this.kept.keys()) if (key.startsWith(prefix)) this.kept.delete(key);
  }

  private begin(key: string, question: () => Promise<V>): Promise<V> {
    const asked: Asked<V> = { now: this.answer(key, question) };
    this.asked.set(key, asked);
    const done = (): void => {
      if (!asked.next) this.asked.delete(key);
    };
    asked.now.then(done, done);
    return asked.now;
  }

  private async answer(key: string, question: () => Promise<V>): Promise<V> {
    const { forgotten } = this;
    const since = performance.now();
    const answer = await question();
    const keepMs = this.keepMs(answer);
    if (keepMs <= 0) this.kept.delete(key);
    else if (forgotten === this.forgotten) this.keep(key, answer, since, keepMs);
    return answer;
  }

  private keep(key: string, answer: V, since: number, keepMs: number): void {
    if (this.kept.size >= MOST) this.kept.clear();
    this.kept.set(key, { answer, until: since + keepMs, renewAt: since + keepMs * RENEWED_AT });
  }
}
