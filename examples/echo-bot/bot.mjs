// Says each text back to whoever wrote it; in a group only one that mentions its number. Wants SVC_BASE_URL, and what external config hands out.
import { createServer } from 'node:http';
import { isEvent, SvcClient, verifyWebhook } from '@svc/sdk';

const client = new SvcClient(); // SVC_BASE_URL, SVC_API_KEY

async function answer({ sessionId, messageId, chatId, fromMe, change, isGroup, mentionsMe, body }) {
  if (fromMe || change || (isGroup && !mentionsMe) || body.type !== 'text') return;
  // However often the event is delivered, one answer goes out: with the same `clientMessageId` nothing is sent again.
  const clientMessageId = `echo-${messageId}`;
  await client.messages.send({ sessionId, to: chatId, text: body.text, clientMessageId });
}

createServer(async (request, response) => {
  try {
    const body = Buffer.concat(await request.toArray());
    const { ok, event } = verifyWebhook(body, request.headers, process.env.SVC_WEBHOOK_SECRET);
    if (ok && isEvent(event, 'message.received')) await answer(event.payload);
    response.writeHead(ok ? 204 : 401).end();
  } catch (error) {
    console.error(error.message);
    response.writeHead(500).end(); // the event is delivered again
  }
}).listen(Number(process.env.PORT ?? 8080), '127.0.0.1', () => console.log('listening'));
