/** Number of partitions for sessions and for tenants: fixed for ever, because durable consumers are named after them. */
export const PARTITION_COUNT = 64;

/** JetStream streams; who consumes what is in `docs/architecture.md`. */
export const STREAMS = { commands: 'COMMANDS', events: 'EVENTS', dead: 'DEAD' } as const;

/** Makes `evt.<tenant partition>.<event name>`. */
export function eventSubject(tenantPartition: number, name: string): string {
  return `evt.${tenantPartition}.${name}`;
}

/** Makes `evt.*.<event name>` of every tenant. */
export function eventSubjectOfAll(name: string): string {
  return `evt.*.${name}`;
}

/** Makes `cmd.<session partition>.<command name>.<sessionId>`. */
export function commandSubject(sessionPartition: number, name: string, sessionId: string): string {
  return `cmd.${sessionPartition}.${name}.${sessionId}`;
}

/** Makes `own.<app>.<partition>`: the subject of questions that only the owner of a partition of the app can answer. */
export function ownerSubject(app: string, partition: number): string {
  return `own.${app}.${partition}`;
}

/** Makes `dead.<app>`: the subject of copies of what an app could not process, for a person with a runbook. */
export function deadLetterSubject(app: string): string {
  return `dead.${app}`;
}

/**
 * Computes the stable partition of an id: FNV-1a over its characters, modulo 64. Durable consumers and leases are named after the
 * result, so neither the hash nor the count may ever change.
 */
export function partitionOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i += 1) {
    hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193) >>> 0;
  }
  return hash % PARTITION_COUNT;
}
