// Receivers of webhooks for the benchmarks of the dispatcher, good and bad ones by the first part of their path. Prints its
// port as soon as it listens; answers the commands below.
import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';

const MB = 1024 * 1024;
const LARGE = Buffer.alloc(10 * MB);
const BOMB = gzipSync(LARGE);
const DRIP_MS = 500;
const SLOW_MS = 2_000;
const MARK = Buffer.from('"messageId":"');

let posts = 0;
/** Messages that were answered 2xx. */
let answered = new Set();
/** Delivery id and signed time of each post: they identify an attempt. */
let attempts = [];
/** Messages that came under more than one delivery id. */
let otherIds = 0;
let isDead = false;
/** Delivery ids, by message. */
let known = new Map();
/** Time of the first arrival of each message, in ms since 1970. */
let arrivals = new Map();

const ANSWERS = {
  ok: (response) => response.writeHead(200).end(),
  dying: (response) => !isDead && response.writeHead(200).end(),
  dead: () => undefined,
  slow: (response) => setTimeout(() => response.destroyed || response.writeHead(200).end(), SLOW_MS),
  broken: (response) => response.writeHead(503).end(),
  drip: ({ socket }) => {
    socket.write('HTTP/1.1 200 OK\r\nx-drip: ');
    const timer = setInterval(() => socket.write('.'), DRIP_MS);
    socket.on('error', () => undefined).on('close', () => clearInterval(timer));
  },
  'drip-body': (response) => {
    response.writeHead(500).flushHeaders();
    const timer = setInterval(() => response.write('.'), DRIP_MS);
    response.on('close', () => clearInterval(timer));
  },
  large: (response) => response.writeHead(500).end(LARGE),
  bomb: (response) => response.writeHead(500, { 'content-encoding': 'gzip' }).end(BOMB),
  flaky: (response, isFirst) => response.writeHead(isFirst ? 500 : 200).end(),
  reset: (response) => {
    response.writeHead(500).write('half', () => response.socket?.resetAndDestroy());
  },
};

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks);
    const at = body.indexOf(MARK) + MARK.length;
    const id = body.toString('latin1', at, at + 36);
    const deliveryId = request.headers['x-svc-delivery-id'];
    const knownAs = known.get(id);
    posts += 1;
    attempts.push(`${deliveryId} ${request.headers['x-svc-timestamp']}`);
    if (!knownAs) known.set(id, deliveryId);
    else if (knownAs !== deliveryId) otherIds += 1;
    if (!knownAs) arrivals.set(id, performance.timeOrigin + performance.now());
    response.on('error', () => undefined);
    response.on('finish', () => response.statusCode < 300 && answered.add(id));
    ANSWERS[request.url.split('/')[1]](response, !knownAs);
  });
});
server.keepAliveTimeout = 60_000;

const COMMANDS = {
  /** Posts so far, repeats included, and messages that were answered 2xx. */
  count: () => ({ posts, answered: answered.size, otherIds }),
  attempts: () => attempts,
  /** Lists the first arrivals of messages since the last call. */
  arrivals: () => {
    const all = [...arrivals];
    arrivals = new Map();
    return all;
  },
  /** Replaces the posts so far by their number. */
  forget: () => {
    known = new Map();
    arrivals = new Map();
    answered = new Set();
    attempts = [];
  },
  /** Makes the receivers below /dying silent from now on. */
  die: () => {
    isDead = true;
  },
};

process.on('message', ({ name, argument }) => process.send({ result: COMMANDS[name](argument) }));
process.on('disconnect', () => process.exit(0));
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
