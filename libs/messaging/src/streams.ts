import {
  AckPolicy,
  DeliverPolicy,
  JetStreamApiError,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { STREAMS } from '@svc/contracts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Time for which a stream drops a repeat under the same id, in seconds. */
export const REPEATS_DROPPED_S = 120;

/** The three streams, by features of nats-server 2.9: an older server ignores newer ones without a word. */
const STREAM_CONFIGS: (Partial<StreamConfig> & { name: string })[] = [
  { name: STREAMS.commands, subjects: ['cmd.>'], retention: RetentionPolicy.Workqueue },
  { name: STREAMS.events, subjects: ['evt.>'], retention: RetentionPolicy.Limits, max_age: nanos(DAY_MS) },
  {
    name: STREAMS.dead,
    subjects: ['dead.>'],
    retention: RetentionPolicy.Limits,
    max_age: nanos(30 * DAY_MS),
  },
];

/** Creates the streams that are missing. Called at start and again whenever a stream is found gone: NATS may be wiped at any time. */
export async function ensureStreams(manager: JetStreamManager): Promise<void> {
  for (const config of STREAM_CONFIGS) {
    await manager.streams.add({
      ...config,
      storage: StorageType.File,
      duplicate_window: nanos(REPEATS_DROPPED_S * 1_000),
    });
  }
}

/** A durable pull consumer: one filter, explicit acks, no delivery limit (dead-lettering is ours). */
export interface DurableConsumer {
  stream: string;
  durable: string;
  filter: string;
  /** Messages handed out and not yet acked. */
  maxAckPending: number;
}

/** Error code of a server from 2.10 on for a durable that exists with another configuration; an older one changes it. */
const CONSUMER_ALREADY_EXISTS = 10148;

/** Creates the durable consumer, or changes one of an earlier release. Where it has got to stays. */
export async function ensureConsumer(manager: JetStreamManager, consumer: DurableConsumer): Promise<void> {
  const { stream, durable } = consumer;
  const changeable = {
    filter_subject: consumer.filter,
    // Handlers only write rows; what a killed process had in hand is handed out again after this.
    ack_wait: nanos(10_000),
    max_ack_pending: consumer.maxAckPending,
  };
  try {
    await manager.consumers.add(stream, {
      durable_name: durable,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      ...changeable,
    });
  } catch (error) {
    if (!(error instanceof JetStreamApiError) || error.code !== CONSUMER_ALREADY_EXISTS) throw error;
    await manager.consumers.update(stream, durable, changeable);
  }
}
