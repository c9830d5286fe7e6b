import { PARTITION_COUNT } from '@svc/contracts';

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
