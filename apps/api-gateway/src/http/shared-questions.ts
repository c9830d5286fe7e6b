interface Asked<V> {
  now: Promise<V>;
  /** Those who came since `now` was asked. */
  next?: Promise<V>;
}

/**
 * Asks once for all who want to know the same at the same time. Nobody gets an answer to a question that was asked before
 * they came: what they have seen happen is in it.
 */
export class SharedQuestions<V> {
  private readonly asked = new Map<string, Asked<V>>();

  /** @param key what is asked; `question` is the same for all of one key. */
  ask(key: string, question: () => Promise<V>): Promise<V> {
    const asked = this.asked.get(key);
    if (!asked) return this.begin(key, question);
    const begin = (): Promise<V> => this.begin(key, question);
    return (asked.next ??= asked.now.then(begin, begin));
  }

  private begin(key: string, question: () => Promise<V>): Promise<V> {
    const asked: Asked<V> = { now: question() };
    this.asked.set(key, asked);
    const forget = (): void => {
      if (!asked.next) this.asked.delete(key);
    };
    asked.now.then(forget, forget);
    return asked.now;
  }
}
