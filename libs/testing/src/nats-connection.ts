import type { Messaging } from '@svc/messaging';

type NatsConnection = Messaging['line']['connection'];

/**
 * Returns the connection of a `Messaging`, for tests that listen to subjects that the product does not listen to, or that wait until the
 * server knows what they listen to.
 */
export function natsConnectionOf({ line }: Messaging): NatsConnection {
  return line.connection;
}
