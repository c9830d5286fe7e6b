/** Returns the text of an error. By its shape and not its class: some are made in another realm, or thrown as plain data. */
export function reasonOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'message' in error) return String(error.message);
  return String(error);
}

/** `parseArgs` explains at length how dashes are written; its first sentence names the argument. */
export function firstSentence(error: unknown): string {
  const reason = reasonOf(error);
  return (reason.split(/\.(?:\s|$)/)[0] ?? reason).trim();
}
