/** A delivery as it waits in the memory of the owner of its partition. */
export interface QueuedDelivery {
  id: string;
  eventId: string;
  endpointId: string;
  tenantId: string;
  partition: number;
  /** The lease under which it was taken: with another one it must neither be sent nor written. */
  epoch: number;
  /** Number of the next attempt, from 1. */
  attempt: number;
  /** True for one more attempt of a delivery that is finished, outside its schedule. */
  replay: boolean;
  conversation: number;
  kind: string;
  payload: Buffer;
  /** True when its conversation waits until it is delivered or dead (`ordering: STRICT`). */
  strict?: boolean;
  /** The version of its lane when it got its place there; with a later one it has to queue up again. */
  laneVersion?: number | undefined;
}
