import { hash } from 'node:crypto';

/** Never changes: with another namespace a redelivered event would get new delivery ids. */
const NAMESPACE = Buffer.from('b0d7a3a42f0c5b0e9a576d1f4c1f9f57', 'hex');

/** Variant of RFC 9562 in the digit that begins the fourth group, whatever its two lower bits are. */
const VARIANTS = '89ab';

/**
 * Id of the delivery of an event to an endpoint: the same however often it is computed. A UUID of version 5 (RFC 9562), made here because the
 * library's costs six times as much, once per delivery.
 */
export function deliveryId(eventId: string, endpointId: string): string {
  const named = Buffer.allocUnsafe(NAMESPACE.length + eventId.length + endpointId.length);
  NAMESPACE.copy(named);
  named.write(eventId + endpointId, NAMESPACE.length, 'latin1');
  const hex = hash('sha1', named, 'hex');
  const variant = VARIANTS[parseInt(hex.charAt(16), 16) & 3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
