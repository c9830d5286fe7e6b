/**
 * These options make every connection to NATS steady: it comes back by itself, however long that takes, and a server that has fallen
 * silent is left after three unanswered pings, not after minutes.
 */
export const STEADY_CONNECTION = {
  maxReconnectAttempts: -1,
  reconnectTimeWait: 250,
  pingInterval: 10_000,
  // This option spares a stack trace for every request and publication, which would be made in case it fails.
  noAsyncTraces: true,
} as const;
