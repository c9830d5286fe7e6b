import { startTimeLimit } from '@svc/service';
import { type Dispatcher, request } from 'undici';
import { failureOfCause, failureOfStatus, ModelFailure } from '../answers/model.js';

/** Largest reply: some name every source of their answer in it. */
const MOST_BYTES = 1_000_000;

/** Limits of one question, and the way it takes. */
export interface PostOptions {
  headers: Record<string, string>;
  dispatcher: Dispatcher;
  timeoutMs: number;
  signal: AbortSignal;
}

/** Posts JSON, and reads the JSON of the reply. It follows no redirect. @throws ModelFailure */
export async function postJson(
  url: string,
  body: object,
  options: PostOptions,
): Promise<Record<string, unknown>> {
  return objectIn(await postForText(url, body, options));
}

/** Posts JSON, and reads the reply as a text. It follows no redirect. @throws ModelFailure */
export async function postForText(
  url: string,
  body: object,
  { headers, dispatcher, timeoutMs, signal }: PostOptions,
): Promise<string> {
  const limit = startTimeLimit(timeoutMs, signal);
  try {
    const response = await request(url, {
      ...{ method: 'POST', body: JSON.stringify(body), dispatcher, signal: limit.signal },
      ...{ headersTimeout: timeoutMs, bodyTimeout: timeoutMs },
      headers: {
        ...{ 'content-type': 'application/json', accept: 'application/json', 'user-agent': 'svc' },
        ...headers,
      },
    });
    // The body says that it was cut off, where it is not read to its end: nobody needs to hear it.
    response.body.on('error', () => undefined);
    if (response.statusCode < 200 || response.statusCode > 299) {
      response.body.destroy();
      throw failureOfStatus(response.statusCode, String(response.headers['retry-after'] ?? ''));
    }
    return await textOf(response.body);
  } catch (error) {
    if (error instanceof ModelFailure) throw error;
    if (signal.aborted) throw new ModelFailure('lost', 'ABORTED');
    throw limit.signal.aborted ? new ModelFailure('lost', 'TIMEOUT') : failureOfCause(error);
  } finally {
    limit.clear();
  }
}

async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new ModelFailure('lost', 'ANSWER_TOO_LARGE');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function objectIn(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw unreadable();
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unreadable();
  return value as Record<string, unknown>;
}

/** Makes the failure of an answer that was given and says nothing that is understood. */
export const unreadable = (): ModelFailure => new ModelFailure('lost', 'ANSWER_UNREADABLE');
