/**
 * These options make every connection to NATS steady: it comes back by itself, however long that takes, and a server that has fallen
 * silent is left after three unanswered pings, not after minutes.
 */
export const STEADY_CONNECTION = {
  maxReconnectAttempts: -1,
  reconnectTimeWait: 250,
  pingInterval: 10_000,
  // Else every request and publication begins by noting where it was called, in case it fails.
  noAsyncTraces: true,
} as const;
