import type { Schemas } from './types.js';

type Received = Schemas['MessageReceivedV1'];

/** The first field to check is `type`, and it narrows. */
export function textOf({ body }: Received): string {
  switch (body.type) {
    case 'text':
      return body.text;
    case 'image':
      return body.caption ?? 'a picture';
    case 'view_once':
      return body.inner?.type === 'image' ? 'a picture to view once' : body.type;
    default:
      return body.type;
  }
}

/** An answer has an address: `chatId` is always there. */
export const answerTo = ({ sessionId, chatId }: Received): Schemas['SendMessageRequest'] => ({
  sessionId,
  to: chatId,
  text: 'Thank you!',
});

/** What is optional may be left out, and has no default that must be given. */
export const endpoint: Schemas['CreateWebhookBody'] = { name: 'my bot', url: 'https://example.com/hook' };
export const external: Schemas['PutExternalConfigBody'] = { enabled: true };

/** The log is typed as the webhooks are. */
export function chatOf(logged: Schemas['LoggedEvent']): string | undefined {
  return logged.event === 'message.received' ? logged.payload.chatId : undefined;
}

/** A value that comes later is a value like the others. */
export const later: Schemas['HttpErrorBody']['code'] = 'SOMETHING_NEW';
