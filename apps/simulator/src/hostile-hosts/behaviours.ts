import { gzipSync } from 'node:zlib';

/** Servers that a hostile host pretends to be. */
export const HOST_KINDS = ['http-proxy', 'socks-proxy', 'http-host', 'https-host'] as const;
export type HostKind = (typeof HOST_KINDS)[number];

/** Time from one byte of a drip to the next. */
const DRIP_MS = 1_000;
/** Pieces of what has no end: some 10 MB a second. */
const PIECE = Buffer.alloc(100_000, 'a');
const PIECE_MS = 10;
/** Bytes that a piece of `gzip` becomes. */
const INFLATED = 10_000_000;

/** One connection to a hostile host, after its first bytes came. */
export interface Guest {
  kind: HostKind;
  /** Address of the host itself. */
  url: string;
  say(bytes: Buffer | string): void;
  /** Says something again and again, as long as the guest reads, until the connection ends. */
  sayEvery(ms: number, next: () => Buffer | string): void;
  hangUp(): void;
}

type Behaviour = (guest: Guest) => void;

/** An answer that is begun, and one that lets through or begins a file. */
interface Answer {
  unfinished: Buffer;
  head: Buffer;
}

const tunnel: Answer = {
  unfinished: Buffer.from('HTTP/1.1 200 OK\r\nX: '),
  head: Buffer.from('HTTP/1.1 200 OK\r\n\r\n'),
};
const file: Answer = {
  unfinished: tunnel.unfinished,
  head: headOf('200 OK', 'Content-Type: image/png'),
};
const ANSWERS: Record<HostKind, Answer> = {
  'http-proxy': tunnel,
  // Without a password; the address that it names is 255 letters long (RFC 1928).
  'socks-proxy': {
    unfinished: Buffer.from([5, 0, 5, 0, 0, 3, 255]),
    head: Buffer.from([5, 0, 5, 0, 0, 1, 0, 0, 0, 0, 0, 0]),
  },
  'http-host': file,
  'https-host': file,
};

function headOf(status: string, ...headers: string[]): Buffer {
  return Buffer.from([`HTTP/1.1 ${status}`, ...headers, 'Connection: close', '', ''].join('\r\n'));
}

/** Says these bytes one by one, and then the same letter for ever. */
function drip(guest: Guest, bytes: Buffer): void {
  let at = 0;
  guest.sayEvery(DRIP_MS, () => (at < bytes.length ? bytes.subarray(at, ++at) : 'a'));
}

function flood(guest: Guest, begin: Buffer): void {
  guest.say(begin);
  guest.sayEvery(PIECE_MS, () => PIECE);
}

const ANY = {
  silence: () => undefined,
  drip: (guest) => drip(guest, ANSWERS[guest.kind].unfinished),
  'endless-head': (guest) => flood(guest, ANSWERS[guest.kind].unfinished),
  'silence-after-head': (guest) => guest.say(ANSWERS[guest.kind].head),
  'drip-after-head': (guest) => {
    guest.say(ANSWERS[guest.kind].head);
    drip(guest, tunnel.unfinished);
  },
  'endless-body': (guest) => flood(guest, ANSWERS[guest.kind].head),
  cut: (guest) => {
    const isFile = ANSWERS[guest.kind] === file;
    const half = [headOf('200 OK', 'Content-Type: image/png', 'Content-Length: 1000'), 'half'];
    for (const part of isFile ? half : [ANSWERS[guest.kind].unfinished]) guest.say(part);
    guest.hangUp();
  },
} satisfies Record<string, Behaviour>;

const OF_FILES = {
  gzip: (guest) => {
    guest.say(headOf('200 OK', 'Content-Type: image/png', 'Content-Encoding: gzip'));
    const piece = gzipSync(Buffer.alloc(INFLATED));
    guest.sayEvery(PIECE_MS, () => piece);
  },
  'wrong-type': (guest) => {
    guest.say(headOf('200 OK', 'Content-Type: text/html'));
    guest.say('<p>Log in, please</p>');
    guest.hangUp();
  },
  'redirect-loop': (guest) => {
    guest.say(headOf('302 Found', `Location: ${guest.url}/1`, 'Content-Length: 0'));
    guest.hangUp();
  },
} satisfies Record<string, Behaviour>;

const ALL: Record<string, Behaviour> = { ...ANY, ...OF_FILES };

export type BehaviourName = keyof typeof ANY | keyof typeof OF_FILES;
export const BEHAVIOURS = Object.keys(ALL) as BehaviourName[];

/** Says whether a host of this kind can behave like this: a proxy has no file. */
export function canBehave(kind: HostKind, name: BehaviourName): boolean {
  return Object.hasOwn(ANY, name) || ANSWERS[kind] === file;
}

/** Treats a guest in the way of this name. */
export function behave(name: BehaviourName, guest: Guest): void {
  ALL[name]?.(guest);
}
