/** Columns of rows that a statement gets as arrays. */
export interface Columns<Name extends string> {
  /** Number of the first parameter after theirs. */
  next: number;
  /**
   * Puts the arrays side by side as rows: `unnest($4::uuid[], $5::int[]) AS row (id, n)`.
   * @param place column that numbers the rows from 1, where there is to be one.
   */
  unnest(row: string, place?: string): string;
  /** Writes the array of one column, as `$4::uuid[]`. */
  array(name: Name): string;
  /** Makes the parameters: one array for each column, in the order of the statement. */
  arrays<T>(items: readonly T[], read: Record<Name, (item: T, index: number) => unknown>): unknown[][];
}

/**
 * Describes rows that a statement is given as one array for each column, so that their number does not change its text. From one list of
 * names and types come the SQL, the numbers of the parameters and the arrays: none of them can be left out or swapped.
 * @param types PostgreSQL types by column, in the order of the parameters.
 * @param first number of the first parameter: 1, or `next` of what comes before.
 */
export function columns<Name extends string>(types: Record<Name, string>, first = 1): Columns<Name> {
  const names = Object.keys(types) as Name[];
  const array = (name: Name): string => `$${first + names.indexOf(name)}::${types[name]}[]`;
  return {
    next: first + names.length,
    unnest: (row, place) => {
      const ordinality = place ? ' WITH ORDINALITY' : '';
      const list = place ? [...names, place] : names;
      return `unnest(${names.map(array).join(', ')})${ordinality} AS ${row} (${list.join(', ')})`;
    },
    array,
    arrays: (items, read) => names.map((name) => items.map(read[name])),
  };
}
