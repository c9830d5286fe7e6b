/** Page of a list. */
export interface Page<T> {
  items: T[];
  /** Cursor of the next page; null: there is none. */
  nextCursor: string | null;
}

/** Reads the page that a cursor begins; left out: the first. */
export type ReadPage<P> = (cursor: string | undefined) => Promise<P>;

/**
 * A list: `await` it for its first page, or go through all of its items with `for await`, which reads page after page as
 * you come to them. Nothing is asked before one of the two.
 */
export class Paged<T, P extends { items: T[]; nextCursor: string | null } = Page<T>>
  implements PromiseLike<P>, AsyncIterable<T>
{
  constructor(private readonly read: ReadPage<P>) {}

  then<A = P, B = never>(
    onPage?: ((page: P) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.read(undefined).then(onPage, onError);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const { items } of this.pages()) yield* items;
  }

  /** Yields page after page. */
  async *pages(): AsyncGenerator<P, void, undefined> {
    let cursor: string | undefined;
    do {
      const page = await this.read(cursor);
      yield page;
      cursor = goesOn(page) ? (page.nextCursor ?? undefined) : undefined;
    } while (cursor !== undefined);
  }
}

/** Says whether another page follows. A log always has a place to go on from; `more` says whether there is something yet. */
function goesOn(page: object): boolean {
  return !('more' in page) || page.more === true;
}
