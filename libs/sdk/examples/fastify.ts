// A Fastify receiver. The parser for JSON is replaced by one that hands on the bytes; in a larger app, register
// this as a plugin of its own, so that other routes keep their parser.
import { verifyWebhook, type WebhookEvent } from '@svc/sdk';
import { fastify, type FastifyInstance } from 'fastify';

/** `handle` gets each genuine event; keep `deliveryId`s, the same delivery may come again. */
export function receiver(secret: string, handle: (event: WebhookEvent) => unknown): FastifyInstance {
  const app = fastify();
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  app.post<{ Body: Buffer }>('/hook', async (request, reply) => {
    const result = verifyWebhook(request.body, request.headers, secret);
    if (!result.ok) {
      request.log.warn(result, 'webhook refused');
      return reply.code(401).send();
    }
    await handle(result.event);
    return reply.code(200).send();
  });
  return app;
}
