import pg from 'pg';

/** Uses after which a text is taken for a statement of the service and not for one that was put together for once. */
const USES_UNTIL_PREPARED = 5;
/** Most prepared statements of a connection; the server stores a plan for every one of them. */
const MOST_PREPARED = 250;
/** Texts that are counted; lists of changing length make new ones all the time. */
const MOST_COUNTED = 2_000;

/** Chooses the texts that are prepared, and their names, which are the same on every connection of the process. */
export class PreparedNames {
  private readonly uses = new Map<string, number>();
  private readonly names = new Map<string, string>();
  private count = 0;

  /** Returns the name to prepare this text under, once it has come often enough. */
  of(text: string): string | undefined {
    const name = this.names.get(text);
    if (name !== undefined || this.names.size >= MOST_PREPARED) return name;
    const uses = (this.uses.get(text) ?? 0) + 1;
    if (uses >= USES_UNTIL_PREPARED) return this.rename(text);
    if (this.uses.size >= MOST_COUNTED) this.uses.clear();
    this.uses.set(text, uses);
    return undefined;
  }

  /** Gives a text another name, because it cannot be used under its former one any more. */
  rename(text: string): string {
    const name = `s${(this.count += 1)}`;
    this.uses.delete(text);
    this.names.set(text, name);
    return name;
  }
}

const names = new PreparedNames();

/** Form of a text that can be prepared; one without values may be any number of statements, and of any kind. */
const PREPARABLE = /^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b[^;]*$/i;

/**
 * A connection that prepares what is asked again and again: parsing and planning cost the server more than carrying out
 * (docs/adr/0017). Behind PgBouncer this needs 1.21 or newer.
 */
export class PreparingClient extends pg.Client {
  /** Prepares a query in any form that `pg` takes; only a single statement on tables can be prepared. */
  override query(...call: unknown[]): never {
    const [text, values = []] = call;
    const query = super.query.bind(this) as (...call: unknown[]) => unknown;
    if (call.length > 2 || typeof text !== 'string' || !Array.isArray(values)) return query(...call) as never;
    if (values.length === 0 && !PREPARABLE.test(text)) return query(text) as never;
    const name = names.of(text);
    const written = values.map((value: unknown) =>
      Array.isArray(value) ? (plainArray(value) ?? value) : value,
    );
    if (!name) return query(text, written) as never;
    const run = (as: string): Promise<unknown> =>
      query({ name: as, text, values: written }) as Promise<unknown>;
    return run(name).catch((error: unknown) => {
      if (!isOutdated(error)) throw error;
      const anew = names.rename(text);
      // It was refused before it was carried out. A transaction is lost with it, and whoever began it does it again.
      if (this.getTransactionStatus() !== 'I') throw error;
      return run(anew);
    }) as never;
  }
}

/** Words that need no quotes as elements of an array: ids, numbers, instants, names of ours. */
const PLAIN = /^[\w.:+-]+$/;

/**
 * Writes the array as PostgreSQL reads it, where no element needs quotes; undefined where one might. `pg` looks through every element for
 * what is to be escaped and puts the text together piece by piece, which with hundreds of ids is most of the time that a statement costs
 * this side.
 */
export function plainArray(values: unknown[]): string | undefined {
  // The loop goes by index, and copies only where an element is written otherwise than `join` does: thousands of elements a second come by
  // here.
  let parts = values;
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at];
    const part = plainElement(value);
    if (part === undefined) return undefined;
    if (part === value) continue;
    if (parts === values) parts = values.slice();
    parts[at] = part;
  }
  return `{${parts.join(',')}}`;
}

/** Finds what `join` is to write for a value; undefined where it needs quotes. */
function plainElement(value: unknown): string | number | boolean | undefined {
  if (typeof value === 'string') return isPlain(value) ? value : undefined;
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (value === null || value === undefined) return 'NULL';
  if (Buffer.isBuffer(value)) return `"\\\\x${value.toString('hex')}"`;
  return value instanceof Date ? value.toISOString() : undefined;
}

function isPlain(text: string): boolean {
  return PLAIN.test(text) && (text.length !== 4 || text.toLowerCase() !== 'null');
}

/** Says whether a migration has changed the columns that a prepared statement returns: it is to be prepared anew. */
export function isOutdated(error: unknown): boolean {
  return (error as { routine?: string }).routine === 'RevalidateCachedQuery';
}
