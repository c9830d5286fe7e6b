// Answers every text with the same text. Wants SVC_BASE_URL, and SVC_API_KEY and SVC_WEBHOOK_SECRET as
// PUT /v1/sessions/:id/external-config {"enabled": true, "webhookUrl": …, "mintApiKey": true} hands them out.
import { createServer } from 'node:http';
import { isEvent, SvcClient, verifyWebhook } from '@svc/sdk';

const client = new SvcClient();
const secret = process.env.SVC_WEBHOOK_SECRET;

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const result = verifyWebhook(Buffer.concat(chunks), request.headers, secret);
  if (!result.ok) return response.writeHead(401).end(result.reason);
  try {
    if (isEvent(result.event, 'message.received')) await echo(result.event.payload);
    response.writeHead(204).end();
  } catch (error) {
    console.error(error.message);
    response.writeHead(500).end(); // it is delivered again
  }
});

/** However often an event is delivered, one answer goes out: the `clientMessageId` is the same. */
async function echo({ sessionId, remoteJid, keyId, body }) {
  if (body.type !== 'text') return;
  await client.messages.send({ sessionId, to: remoteJid, text: body.text, clientMessageId: `echo-${keyId}` });
}

server.listen(Number(process.env.PORT ?? 8080), '127.0.0.1', () => console.log('listening'));
