/** Counts the work that began between two calls of `settled`. */
interface Round {
  count: number;
  /** Callback for the end of the last work; set once a caller waits. */
  onEnd?: () => void;
}

/**
 * Counts work that nobody waits for until the process, or a part of it, stops. It is counted and not kept in a set: a `Set` in which
 * things come and go hangs on to what its outgrown tables held until the next full garbage collection, and makes that necessary.
 */
export class UnderWay {
  private round: Round = { count: 0 };
  private earlier: Promise<unknown> = Promise.resolve();

  /** @returns the same work; how it ends is its caller's business. */
  add<T>(work: Promise<T>): Promise<T> {
    const { round } = this;
    round.count += 1;
    const ended = (): void => {
      round.count -= 1;
      if (round.count === 0) round.onEnd?.();
    };
    work.then(ended, ended);
    return work;
  }

  /** Resolves when all that was begun before has ended, however it went; what begins meanwhile holds up nobody. */
  async settled(): Promise<void> {
    const { round, earlier } = this;
    if (round.count > 0) {
      const ended = new Promise<void>((resolve) => (round.onEnd = resolve));
      this.round = { count: 0 };
      this.earlier = Promise.all([earlier, ended]);
    }
    await this.earlier;
  }
}
