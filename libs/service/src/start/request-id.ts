import type { IncomingMessage } from 'node:http';
import { v7 as uuidv7 } from 'uuid';

/** Form of an id that a caller may give its request: nothing that a header, a line of a log or a command of a shell would read otherwise. */
const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** Names a request as its caller does in `x-request-id`, so that both sides find it under one id; anew where that has another form. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : uuidv7();
}
