/** Transactions under way that are named at most: a cursor has room for so many. */
const MOST_RUNNING = 80;

/** A snapshot of PostgreSQL (`xmin:xmax:xip,xip`) in few characters. */
export function packSnapshot(snapshot: string): string {
  const [xmin = '', xmax = '', running = ''] = snapshot.split(':');
  const from = Number(xmin);
  const rest = [xmax, ...running.split(',').filter(Boolean).slice(0, MOST_RUNNING)];
  return [from, ...rest.map((xid) => Number(xid) - from)].map((n) => n.toString(36)).join('.');
}

/** What `packSnapshot` was given. */
export function unpackSnapshot(packed: string): string {
  const [from = 0, ...rest] = packed.split('.').map((n) => parseInt(n, 36));
  const [xmax, ...running] = rest.map((n) => from + n);
  return `${from}:${xmax}:${running.join(',')}`;
}
