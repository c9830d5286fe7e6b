import { AnswerCheck } from './answer-check.js';
import type { ApiDocument } from './api-document.js';
import { type FuzzRequest, FuzzRequests, type FuzzWorld } from './fuzz-requests.js';
import type { Random } from './fuzz-values.js';

/** Subject and extent of a run. */
export interface FuzzOptions {
  origin: string;
  document: ApiDocument;
  requests: number;
  random: Random;
  /** Makes the world before each batch, so that used resources can be made anew; `done` is the number of requests so far. */
  world(done: number): Promise<FuzzWorld>;
}

/** Findings of a run of made-up requests. */
export interface FuzzReport {
  requests: number;
  /** Number of answers by status. */
  statuses: Record<string, number>;
  /** The same by route. */
  routes: Record<string, Record<string, number>>;
  /** Routes that never took a request. */
  neverTaken: string[];
  /** Broken promises, with the request to repeat them. */
  findings: string[];
}

const AT_ONCE = 8;
const LIMIT_MS = 30_000;
const LONGEST_SHOWN = 2_000;

/** Sends requests made up from a description, and holds every answer against it: no 5xx, nothing that is not described. */
export async function fuzzApi(options: FuzzOptions): Promise<FuzzReport> {
  const requests = new FuzzRequests(options.document, options.random);
  const check = new AnswerCheck(options.document);
  const report: FuzzReport = { requests: 0, statuses: {}, routes: {}, neverTaken: [], findings: [] };
  while (report.requests < options.requests) {
    const world = await options.world(report.requests);
    const batch = Array.from({ length: Math.min(AT_ONCE, options.requests - report.requests) }, () =>
      requests.next(world),
    );
    await Promise.all(batch.map((request) => ask(options.origin, request, check, report)));
  }
  report.neverTaken = Object.entries(report.routes)
    .filter(([, statuses]) => !Object.keys(statuses).some((status) => status.startsWith('2')))
    .map(([route]) => route)
    .sort();
  return report;
}

async function ask(
  origin: string,
  request: FuzzRequest,
  check: AnswerCheck,
  report: FuzzReport,
): Promise<void> {
  report.requests += 1;
  const { route } = request.operation;
  try {
    const answer = await answerOf(origin, request);
    const row = (report.routes[route] ??= {});
    row[answer.status] = (row[answer.status] ?? 0) + 1;
    report.statuses[answer.status] = (report.statuses[answer.status] ?? 0) + 1;
    const problems = check.problemsOf(request.operation, answer);
    if (answer.status >= 500) problems.push(`status ${answer.status}`);
    if (problems.length > 0) report.findings.push(shown(request, problems, answer.status, answer.body));
  } catch (error) {
    report.findings.push(shown(request, [`no answer: ${String((error as Error).cause ?? error)}`], 0, null));
  }
}

interface FuzzAnswer {
  status: number;
  headers: Headers;
  body: unknown;
}

async function answerOf(origin: string, request: FuzzRequest): Promise<FuzzAnswer> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new Error(`no end within ${LIMIT_MS} ms`)), LIMIT_MS);
  try {
    return await answerWithin(limit.signal, origin, request);
  } finally {
    clearTimeout(timer);
    // A stream of events does not end by itself.
    limit.abort();
  }
}

async function answerWithin(
  signal: AbortSignal,
  origin: string,
  { method, target, headers, body }: FuzzRequest,
): Promise<FuzzAnswer> {
  const options = { method, headers, signal, ...(body === undefined ? {} : { body }) };
  const response = await fetch(origin + target, options);
  const type = response.headers.get('content-type') ?? '';
  const { status } = response;
  if (type.startsWith('text/event-stream')) return { status, headers: response.headers, body: undefined };
  const text = await response.text();
  const isJson = type.startsWith('application/json');
  return { status, headers: response.headers, body: isJson ? (JSON.parse(text) as unknown) : text };
}

/** Shows what is wrong with the answer to a request, and then the request without its key: it may be long. */
function shown({ method, target, headers, body }: FuzzRequest, ...findings: unknown[]): string {
  const others = Object.entries(headers).filter(([name]) => name !== 'authorization');
  const request = { method, target, headers: Object.fromEntries(others), body };
  return JSON.stringify([...findings, request]).slice(0, LONGEST_SHOWN);
}
