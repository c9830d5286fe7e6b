import { assertNoPositionals, clientOf, required, type Values } from './options.js';
import type { Screen } from './screen.js';

/** Runs `svc send`: sends a text. */
export async function send(values: Values, positionals: string[], screen: Screen): Promise<boolean> {
  assertNoPositionals(positionals);
  const message = {
    sessionId: required(values, 'session', 'SVC_SESSION_ID'),
    to: required(values, 'to'),
    text: required(values, 'text'),
  };
  const client = clientOf(values);
  const queued = await client.messages.send({ ...message, clientMessageId: values['client-message-id'] });
  screen.result(queued, () => `${queued.status} ${queued.jobId}`);
  return true;
}
