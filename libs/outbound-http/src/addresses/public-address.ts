import { isIPv4, isIPv6 } from 'node:net';

/** Address as bytes (4 or 16) and how many leading bits count. */
interface Block {
  bytes: number[];
  bits: number;
}

/** Ranges that are not the public internet. 168.63.129.16 is public by number, and Azure's own inside its machines. */
const BLOCKED_V4 = blocks(
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24',
  '192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4',
  '168.63.129.16/32',
);
/** Addresses of 2000::/3: no others are routed at all, so loopback, unique local, link-local, NAT64, … need no list. */
const GLOBAL_V6 = blocks('2000::/3');
const BLOCKED_V6 = blocks('2001::/23 2001:db8::/32 2002::/16 3fff::/20');
const MAPPED_V4 = blocks('::ffff:0:0/96');

/** Says whether an address in text form may be connected to: false for every non-public range and for what is no address. */
export function isPublicAddress(address: string): boolean {
  const bytes = parseAddress(address);
  if (bytes === undefined) return false;
  if (bytes.length === 4) return !inAny(bytes, BLOCKED_V4);
  if (inAny(bytes, MAPPED_V4)) return !inAny(bytes.slice(12), BLOCKED_V4);
  return inAny(bytes, GLOBAL_V6) && !inAny(bytes, BLOCKED_V6);
}

function parseAddress(address: string): number[] | undefined {
  if (isIPv4(address)) return address.split('.').map(Number);
  // A zone (`fe80::1%eth0`) names an interface of this machine: never public.
  if (!isIPv6(address) || address.includes('%')) return undefined;
  return parseV6(address);
}

function parseV6(address: string): number[] {
  const text = address.replace(/[^:]*\.[^:]*$/, (dotted) => {
    const [a = 0, b = 0, c = 0, d = 0] = dotted.split('.').map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const [head = '', tail] = text.split('::');
  const left = groups(head);
  const right = tail === undefined ? [] : groups(tail);
  const gap = Array.from({ length: 8 - left.length - right.length }, () => 0);
  return [...left, ...gap, ...right].flatMap((group) => [group >> 8, group & 0xff]);
}

function groups(text: string): number[] {
  return text === '' ? [] : text.split(':').map((group) => parseInt(group, 16));
}

function inAny(bytes: number[], ranges: Block[]): boolean {
  return ranges.some((range) => inBlock(bytes, range));
}

function inBlock(bytes: number[], { bytes: base, bits }: Block): boolean {
  return base.every((byte, index) => {
    const counted = Math.min(8, Math.max(0, bits - index * 8));
    const mask = (0xff << (8 - counted)) & 0xff;
    return ((bytes[index] ?? 0) & mask) === (byte & mask);
  });
}

function blocks(...lists: string[]): Block[] {
  return lists
    .flatMap((list) => list.split(' '))
    .map((range) => {
      const [address = '', bits] = range.split('/');
      return { bytes: parseAddress(address) ?? [], bits: Number(bits) };
    });
}
