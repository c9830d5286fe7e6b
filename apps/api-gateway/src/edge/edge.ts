import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import multipart from '@fastify/multipart';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppError, invalidField } from '@svc/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type GuardedRequest, isBehindKey, isInner } from '../auth/authorization.js';
import { KeyVerifier } from '../auth/key-verifier.js';
import { RequestPaces } from '../auth/request-paces.js';
import { answerBrokenHttp } from './broken-http.js';
import { RouteTable } from './route-table.js';
import { RequestPipe } from './request-pipe.js';

const JSON_TYPE = /^application\/json *(; *charset="?(utf-8|us-ascii)"? *)?$/i;
const MULTIPART_TYPE = /^multipart\/form-data *; *boundary=/i;
/** The one route with another body than JSON. */
const UPLOADS = '/v1/media';
const WITH_BODY = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
/** Fastify's own bound for a parameter of a path. */
const LONGEST_SEGMENT = 100;
/** Headers that keep an answer out of every cache, and forbid a browser to guess its type. */
const PRIVATE_HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
/** Most connections of all callers together: half of the descriptors that a process usually has. Those beyond it are closed at once. */
const MOST_CONNECTIONS = 10_000;
/** Time for which a body that is refused may come before the answer, and the one for which it may after it, in ms. */
const WAIT_MS = 100;
const DRAIN_MS = 5_000;
const DRAIN_BYTES = 64 * 1_048_576;

/** Sets up what holds for every request, whatever route it asks for and however broken it is. */
export async function guardTheEdge(app: NestFastifyApplication): Promise<void> {
  // Bytes, not an object: scopes and subscriptions are checked before a body is parsed (see RequestPipe).
  app.useBodyParser('application/json', {}, (_request, body, done) => done(null, body));
  // The plugin reads nothing before the route asks for it, after its guards.
  await app.register(multipart, { limits: { parts: 2, fileSize: Infinity } });
  app.useGlobalPipes(new RequestPipe());
  const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  const routes = new RouteTable();
  fastify.addHook('onRoute', ({ method, url }) => routes.add([method].flat(), url));
  fastify.server.maxConnections = MOST_CONNECTIONS;
  const keys = app.get(KeyVerifier);
  const paces = app.get(RequestPaces);
  fastify.addHook('onRequest', async (request: GuardedRequest, reply) => {
    void reply.header('x-request-id', request.id);
    assertHost(request);
    if (request.is404) assertMethod(routes, request, reply);
    // The key is checked before anything is said about the body, and before it is read: strangers learn nothing and cost nothing.
    if (isBehindKey(request)) {
      request.caller = await keys.verify(request.headers.authorization, request.ip);
      if (!isInner(request)) paces.take(request.caller.kid);
    }
    assertContentType(request);
  });
  fastify.addHook('onSend', async (request, reply, payload) => {
    void reply.header('x-request-id', request.id);
    if (isPrivate(request.routeOptions.url ?? request.url)) void reply.headers(PRIVATE_HEADERS);
    if (reply.statusCode < 400) return payload;
    await drain(request.raw, WAIT_MS);
    if (isRead(request.raw) || typeof payload !== 'string') return payload;
    // The connection of a caller that still sends an unread body is closed: it would stay for as long as an upload may last.
    void reply.headers({ connection: 'close', 'content-length': String(Buffer.byteLength(payload)) });
    return Readable.from(answerAndDrain(payload, request.raw));
  });
  hideFromRouter(fastify);
  answerBrokenHttp(fastify.server);
}

/** Refuses a request of HTTP/1.1 without a host; Node itself would answer it without a body. */
function assertHost({ raw: { httpVersion, headers } }: FastifyRequest): void {
  if (httpVersion === '1.1' && headers.host === undefined)
    throw invalidField('host', 'host must be given: a header of HTTP/1.1');
}

/** Says whether an answer is for its caller alone: all of the API is, but for what visitors of a page with a widget see. */
function isPrivate(url: string): boolean {
  return url.startsWith('/v1/') && !url.startsWith('/v1/public/widget/');
}

function assertMethod(routes: RouteTable, request: FastifyRequest, reply: FastifyReply): void {
  const allowed = routes.methodsOf(request.url);
  if (allowed.length === 0) return;
  void reply.header('allow', allowed.join(', '));
  throw new AppError('METHOD_NOT_ALLOWED', undefined, { allowed });
}

function assertContentType({ method, headers, routeOptions }: FastifyRequest): void {
  const length = headers['content-length'];
  const hasBody = headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
  if (!hasBody || !WITH_BODY.has(method)) return;
  const encoding = headers['content-encoding'] ?? 'identity';
  const wanted = routeOptions.url === UPLOADS ? MULTIPART_TYPE : JSON_TYPE;
  if (!wanted.test(headers['content-type'] ?? '') || encoding !== 'identity') {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE');
  }
}

/** Answers at once, and ends only when the caller has sent its body, or has had time to. */
async function* answerAndDrain(payload: string, request: IncomingMessage): AsyncGenerator<Buffer> {
  yield Buffer.from(payload);
  await drain(request, DRAIN_MS);
}

/** Says whether all of a request has been read; one that a tool makes has come over no wire, and is never `complete`. */
function isRead({ complete, readableEnded }: IncomingMessage): boolean {
  return complete || readableEnded;
}

/**
 * Takes in, up to a bound, what the caller still sends of a body that is refused. Closing while it sends resets the
 * connection, and the caller would see that instead of the answer.
 */
async function drain(request: IncomingMessage, ms: number): Promise<void> {
  if (isRead(request) || request.destroyed) return;
  let taken = 0;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    const finish = (): void => {
      clearTimeout(timer);
      resolve();
    };
    request.once('end', finish).once('close', finish).once('error', finish);
    request.on('data', (chunk: Buffer) => {
      taken += chunk.length;
      if (taken > DRAIN_BYTES) finish();
    });
    request.resume();
  });
}

/**
 * Hides broken escapes and over-long parameters from the router, which would answer them before any hook and in its own words. They
 * become the root path, which does not exist either.
 */
function hideFromRouter(fastify: FastifyInstance): void {
  fastify.server.prependListener('request', (request: IncomingMessage) => {
    if (!isRoutable(request.url ?? '')) request.url = '/';
  });
}

function isRoutable(url: string): boolean {
  const [path = ''] = url.split('?');
  try {
    return decodeURI(path)
      .split('/')
      .every((segment) => segment.length <= LONGEST_SEGMENT);
  } catch {
    return false;
  }
}
