/** Kind of an event of which an erasure has left nothing but its place in the log. */
export const ERASED = 'erased';

/** Writes SQL of whether a payload has one of the two names that `namesOf` gives, which are parameters. */
export const isNamedSql = (payload: string, address: string, phone: string): string =>
  `(position(${address}::bytea IN ${payload}) > 0 OR position(${phone}::bytea IN ${payload}) > 0)`;
