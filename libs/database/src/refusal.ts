/**
 * SQLSTATE classes of statements that were refused for what they wrote: data that cannot be (22), constraints (23), limits of the
 * program (54), and what the server itself did not foresee (XX).
 */
const CONTENT_STATES = /^(22|23|54|XX)/;

/** Names of errors of our own code over a value that it was given. */
const CONTENT_ERRORS = new Set(['RangeError', 'TypeError', 'SyntaxError', 'URIError']);

/**
 * Says whether an error is the fault of the written content: the same content fails again, however often it is tried. A database that is
 * away or slow, a deadlock and a lease that was lost are none.
 */
export function isOfContent(error: unknown): boolean {
  const { driverError = error, name } = Object(error) as { driverError?: unknown; name?: unknown };
  const { code } = Object(driverError) as { code?: unknown };
  if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) return CONTENT_STATES.test(code);
  return typeof name === 'string' && CONTENT_ERRORS.has(name);
}
