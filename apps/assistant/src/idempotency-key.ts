/** Header under which a call of a tool says that it is the same one, when it is made again. */
export const IDEMPOTENCY_KEY = 'idempotency-key';
