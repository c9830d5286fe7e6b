import type { FastifyReply, FastifyRequest } from 'fastify';

/** Headers of a client in which the protocol repeats what stands in the message. */
const OF_PROTOCOL = /^mcp-/;

/**
 * Makes the request of the web standard that the MCP library reads, of one whose body was read and checked before. One answer in JSON is all that
 * is ever sent, so it does not matter whether the client says that it takes streams.
 */
export function webRequestOf({ headers, routeOptions }: FastifyRequest): Request {
  const own = Object.entries(headers).filter(([name]) => OF_PROTOCOL.test(name));
  return new Request(new URL(routeOptions.url ?? '/', 'http://gateway'), {
    method: 'POST',
    headers: {
      ...Object.fromEntries(own.map(([name, value]) => [name, String(value)])),
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    },
  });
}

/** Sends the answer of the MCP library. */
export async function sendWebResponse(reply: FastifyReply, answer: Response): Promise<void> {
  const text = await answer.text();
  void reply.status(answer.status);
  if (text !== '') void reply.type('application/json; charset=utf-8');
  await reply.send(text === '' ? undefined : text);
}
