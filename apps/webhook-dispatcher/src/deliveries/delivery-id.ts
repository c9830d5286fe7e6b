import { parse, v5 as uuidv5 } from 'uuid';

/** Never changes: with another namespace a redelivered event would get new delivery ids. */
const NAMESPACE = parse('b0d7a3a4-2f0c-5b0e-9a57-6d1f4c1f9f57');

/** Id of the delivery of an event to an endpoint: the same however often it is computed. */
export function deliveryId(eventId: string, endpointId: string): string {
  return uuidv5(Buffer.from(eventId + endpointId), NAMESPACE);
}
