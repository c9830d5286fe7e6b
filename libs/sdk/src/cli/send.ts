import { assertNoPositionals, clientOf, needed, type Values } from './options.js';
import type { Screen } from './screen.js';

/** `svc send`: sends a text. */
export async function send(values: Values, positionals: string[], screen: Screen): Promise<boolean> {
  assertNoPositionals(positionals);
  const message = {
    sessionId: needed(values, 'session', 'SVC_SESSION_ID'),
    to: needed(values, 'to'),
    text: needed(values, 'text'),
  };
  const client = clientOf(values);
  const queued = await client.messages.send({ ...message, clientMessageId: values['client-message-id'] });
  screen.result(queued, () => `${queued.status} ${queued.jobId}`);
  return true;
}
