/** A delivery in the memory of the owner of its partition. */
export interface QueuedDelivery {
  id: string;
  eventId: string;
  endpointId: string;
  tenantId: string;
  partition: number;
  /** Lease under which it was taken: with another one it must neither be sent nor written. */
  epoch: number;
  /** Number of the attempt to come, from 1. */
  attempt: number;
  /** One more attempt of a delivery that is finished, outside its schedule. */
  replay: boolean;
  conversation: number;
  kind: string;
  payload: Buffer;
  /** Of its conversation nothing goes out before it is delivered or dead (`ordering: STRICT`). */
  strict?: boolean;
  /** Era of its lane when its place there was given; a later one means that it has to queue up again. */
  era?: number | undefined;
}
