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
import { Logger } from '@nestjs/common';
import { PARTITION_COUNT, type StreamReader, STREAMS } from '@svc/contracts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Time for which a stream drops a repeat under the same id, in seconds. */
export const REPEATS_DROPPED_S = 120;

const COMMON = { storage: StorageType.File, duplicate_window: nanos(REPEATS_DROPPED_S * 1_000) };
const COMPARED = ['subjects', 'retention', 'max_age', 'storage', 'duplicate_window', 'num_replicas'] as const;

type NamedConfig = Partial<StreamConfig> & { name: string };

/** The three streams, by features of nats-server 2.9: an older server ignores newer ones without a word. */
const STREAM_CONFIGS: NamedConfig[] = [
  { name: STREAMS.commands, subjects: ['cmd.>'], retention: RetentionPolicy.Workqueue },
  { name: STREAMS.events, subjects: ['evt.>'], retention: RetentionPolicy.Limits, max_age: nanos(DAY_MS) },
  {
    name: STREAMS.dead,
    subjects: ['dead.>'],
    retention: RetentionPolicy.Limits,
    max_age: nanos(30 * DAY_MS),
  },
];

/** Makes sure that the streams exist. */
export class Streams {
  private readonly logger = new Logger(Streams.name);
  private readonly told = new Set<string>();

  /** @param replicas of each stream, where the servers are a cluster. */
  constructor(
    private readonly manager: JetStreamManager,
    private readonly replicas = 1,
  ) {}

  /**
   * Creates the streams that are missing. Called at start and again whenever a stream is found gone: NATS may be wiped at any time. One that
   * exists stays as it is, because its settings are the operator's: what differs is told once.
   */
  async ensure(): Promise<void> {
    for (const config of STREAM_CONFIGS) {
      const wanted = this.wanted(config);
      try {
        await this.manager.streams.add(wanted);
      } catch (error) {
        // It may also be that this user may not create streams: the operator has made them then.
        const found = await this.manager.streams.info(config.name).catch(() => undefined);
        if (!found) throw error;
        this.tellOnce(config.name, differences(wanted, found.config));
      }
    }
  }

  /** Says which streams are missing or not as they are wanted, one sentence each; it changes none. */
  async findings(): Promise<string[]> {
    const found = STREAM_CONFIGS.map(async (config) => {
      const info = await this.manager.streams.info(config.name).catch(() => undefined);
      return info ? differences(this.wanted(config), info.config) : `The stream ${config.name} is missing.`;
    });
    return (await Promise.all(found)).filter((sentence) => sentence !== undefined);
  }

  private wanted(config: NamedConfig): NamedConfig {
    return { ...config, ...COMMON, num_replicas: this.replicas };
  }

  private tellOnce(name: string, sentence: string | undefined): void {
    if (sentence === undefined || this.told.has(name)) return;
    this.told.add(name);
    this.logger.warn(sentence);
  }
}

/** @returns undefined where nothing differs. */
function differences(wanted: NamedConfig, found: StreamConfig): string | undefined {
  const words = COMPARED.filter((key) => String(wanted[key] ?? 0) !== String(found[key] ?? 0)).map(
    (key) => `${key} is ${String(found[key])}, not ${String(wanted[key] ?? 0)}`,
  );
  return words.length === 0 ? undefined : `The stream ${wanted.name} stays as it is: ${words.join('; ')}.`;
}

/** Names the durable of an app, or that of one of its partitions. */
export function durableOf({ app, partitioned }: StreamReader, partition: number): string {
  return partitioned ? `${app}-${partition}` : app;
}

/** Names all durables of an app. */
export function durablesOf(reader: StreamReader): string[] {
  const count = reader.partitioned ? PARTITION_COUNT : 1;
  return Array.from({ length: count }, (_, partition) => durableOf(reader, partition));
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
