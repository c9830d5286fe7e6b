/** Work of one author stays in order, however much of it is under way at a time. */
export class Turns {
  private readonly tails = new Map<string, Promise<unknown>>();

  take<T>(author: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.tails.get(author) ?? Promise.resolve()).then(work);
    const settled: Promise<unknown> = turn
      .catch(() => undefined)
      .then(() => {
        if (this.tails.get(author) === settled) this.tails.delete(author);
      });
    this.tails.set(author, settled);
    return turn;
  }
}
