/** What a cursor has room for, within the length that is promised of one: 200 transactions that write at the same moment. */
const ROOM = 203;

/** Packs a snapshot of PostgreSQL (`xmin:xmax:xip,xip`) into few characters: transactions under way by their distances, most of them a byte. */
export function packSnapshot(snapshot: string): string {
  const [xmin = '', xmax = '', running = ''] = snapshot.split(':');
  const from = Number(xmin);
  const bytes: number[] = [];
  let last = from;
  for (const xid of running.split(',').filter(Boolean).map(Number)) {
    const distance = varint(xid - last);
    if (bytes.length + distance.length > ROOM) break;
    bytes.push(...distance);
    last = xid;
  }
  const range = [from, Number(xmax) - from].map((n) => n.toString(36)).join('.');
  return `${range}~${Buffer.from(bytes).toString('base64url')}`;
}

/** Unpacks what `packSnapshot` has made. */
export function unpackSnapshot(packed: string): string {
  const [range = '', distances = ''] = packed.split('~');
  // A cursor of an earlier release has those under way behind the range.
  const [xmin = 0, ...rest] = range.split('.').map((n) => parseInt(n, 36));
  const [xmax, ...running] = rest.map((n) => xmin + n);
  let [last, distance, scale] = [xmin, 0, 1];
  for (const byte of Buffer.from(distances, 'base64url')) {
    distance += (byte % 128) * scale;
    scale *= 128;
    if (byte >= 128) continue;
    last += distance;
    running.push(last);
    [distance, scale] = [0, 1];
  }
  return `${xmin}:${xmax}:${running.join(',')}`;
}

/** Seven bits a byte, the lowest first; each but the last has its eighth bit set. */
function varint(n: number): number[] {
  return n < 128 ? [n] : [128 + (n % 128), ...varint(Math.floor(n / 128))];
}
