// Answers every text of a contact with the same text; in a group only one that names the number. Wants SVC_BASE_URL, and
// SVC_API_KEY, SVC_SESSION_ID and SVC_WEBHOOK_SECRET as
// PUT /v1/sessions/:id/external-config {"enabled": true, "webhookUrl": …, "mintApiKey": true,
// "scopes": ["messages:send", "messages:read"]} hands them out.
import { createServer } from 'node:http';
import { isEvent, SvcClient, verifyWebhook } from '@svc/sdk';

const client = new SvcClient();
const sessionId = process.env.SVC_SESSION_ID;
const secret = process.env.SVC_WEBHOOK_SECRET;

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const result = verifyWebhook(Buffer.concat(chunks), request.headers, secret);
  if (!result.ok) return response.writeHead(401).end(result.reason);
  try {
    if (isEvent(result.event, 'message.received')) await answer(result.event.payload);
    response.writeHead(204).end();
  } catch (error) {
    console.error(error.message);
    response.writeHead(500).end(); // it is delivered again
  }
});

/** Not everything that is received asks for an answer: the owner's own words, an edit and the talk of a group do not. */
async function answer({ fromMe, change, isGroup, mentions, chatId, keyId, body }) {
  if (fromMe || change || body.type !== 'text') return;
  if (isGroup && !(await isNamed(mentions))) return;
  // However often an event is delivered, one answer goes out: the `clientMessageId` is the same.
  await client.messages.send({ sessionId, to: chatId, text: body.text, clientMessageId: `echo-${keyId}` });
}

async function isNamed(mentions = []) {
  const { phone } = await client.sessions.get(sessionId);
  return mentions.some((address) => `+${address.split('@')[0]}` === phone);
}

server.listen(Number(process.env.PORT ?? 8080), '127.0.0.1', () => console.log('listening'));
