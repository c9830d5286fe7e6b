/** Most bytes of one list: NATS carries one megabyte. */
const MOST_BYTES = 500_000;
/** Rows of a list that is cut: the last one shows that another page follows. */
const FEWEST = 2;

/** Cuts a list where what is long in its rows takes too many bytes for one message. */
export function withinBytes<T>(found: T[], longIn: (row: T) => unknown): { rows: T[]; isCut: boolean } {
  let bytes = 0;
  const end = found.findIndex(
    (row) => (bytes += Buffer.byteLength(JSON.stringify(longIn(row)))) > MOST_BYTES,
  );
  if (end < 0) return { rows: found, isCut: false };
  const rows = found.slice(0, Math.max(end, FEWEST));
  return { rows, isCut: rows.length < found.length };
}
