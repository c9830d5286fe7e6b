import { Injectable } from '@nestjs/common';
import { AppError, type Envelope, PUBLIC_EVENTS } from '@svc/contracts';
import { partitionOf } from '@svc/messaging';
import { validate as isUuid } from 'uuid';
import { DeliveryScheduler } from '../deliveries/delivery-scheduler.js';
import { deliveryId } from '../deliveries/delivery-id.js';
import { MicroBatcher } from '../deliveries/micro-batcher.js';
import { OwnedPartitions } from '../deliveries/owned-partitions.js';
import { EndpointDirectory, type Receiver } from '../endpoints/endpoint-directory.js';
import { conversationOf } from './conversation.js';
import { EventRepository, type RoutedEvent } from './event.repository.js';
import { receiversOf } from './routing.js';

const MAX_BYTES = 8 * 1024 * 1024;

type Arrived = Omit<RoutedEvent, 'deliveries' | 'epoch'>;
type Candidate = { event: Arrived; epoch: number; receivers: Receiver[] };

/** Takes events in: they and their deliveries are committed before the event is acked. */
@Injectable()
export class IngestService {
  private readonly batcher = new MicroBatcher<Arrived, AppError | undefined>(
    { maxSize: 256, lingerMs: 1, maxWeight: MAX_BYTES, weight: ({ payload }) => payload.length },
    (batch) => this.commit(batch),
  );

  constructor(
    private readonly events: EventRepository,
    private readonly directory: EndpointDirectory,
    private readonly scheduler: DeliveryScheduler,
    private readonly owned: OwnedPartitions,
  ) {}

  /** @throws AppError when the event cannot be taken (permanent) or not now. */
  async take(envelope: Envelope): Promise<void> {
    if (!(PUBLIC_EVENTS as readonly string[]).includes(envelope.type)) return;
    const refusal = await this.batcher.add(arrived(envelope));
    if (refusal) throw refusal;
  }

  private async commit(batch: Arrived[]): Promise<(AppError | undefined)[]> {
    const distinct = [...new Map(batch.map((event) => [event.id, event])).values()];
    const routes = await Promise.all(distinct.map((event) => this.route(event)));
    const candidates = routes.filter((route): route is Candidate => !(route instanceof AppError));
    const refusals = new Map<string, AppError>();
    routes.forEach((route, index) => {
      if (route instanceof AppError) refusals.set(distinct[index]?.id ?? '', route);
    });
    const wanted = candidates.filter(({ receivers }) => receivers.length > 0);
    const kept = await this.write(wanted);
    for (const { event } of wanted) if (!kept.has(event.partition)) refusals.set(event.id, notOurs());
    return batch.map(({ id }) => refusals.get(id));
  }

  /** Whom an event goes to. What is wrong with one tenant is an answer and no exception: a batch holds those of many. */
  private async route(event: Arrived): Promise<Candidate | AppError> {
    try {
      const receivers = receiversOf(event, await this.directory.ofTenant(event.tenantId));
      const epoch = this.owned.epochOf(event.partition);
      return epoch === undefined ? notOurs() : { event, epoch, receivers };
    } catch (cause) {
      return new AppError('UPSTREAM_UNAVAILABLE', 'The endpoints cannot be read now.', {}, { cause });
    }
  }

  /** @returns partitions of which the events were written. */
  private async write(candidates: Candidate[]): Promise<Set<number>> {
    if (candidates.length === 0) return new Set();
    const routed = candidates.map((candidate) => this.plan(candidate));
    let made = new Set<string>();
    try {
      const outcome = await this.events.commit(routed);
      made = outcome.made;
      return outcome.partitions;
    } finally {
      for (const { item, state } of routed.flatMap(({ deliveries }) => deliveries)) {
        this.scheduler.settle(item, state, made.has(item.id));
      }
      this.scheduler.onWork();
    }
  }

  private plan({ event, epoch, receivers }: Candidate): RoutedEvent {
    const deliveries = receivers.map((receiver) => {
      const { id: eventId, tenantId, partition, conversation, kind, payload } = event;
      const fixed = { eventId, tenantId, partition, epoch, conversation, kind, payload };
      const id = deliveryId(eventId, receiver.id);
      const item = { ...fixed, id, endpointId: receiver.id, attempt: 1 };
      return { item, state: this.scheduler.plan(item) };
    });
    return { ...event, epoch, deliveries };
  }
}

function arrived({ id, tenantId, type, data }: Envelope): Arrived {
  const { sessionId = null } = data as { sessionId?: unknown };
  if (sessionId !== null && !isUuid(sessionId)) {
    throw new AppError('VALIDATION_FAILED', 'sessionId is not a UUID.');
  }
  return {
    id,
    tenantId,
    sessionId: sessionId as string | null,
    kind: type,
    conversation: conversationOf(data),
    // Once: these bytes are what every attempt sends.
    payload: Buffer.from(JSON.stringify(data)),
    partition: partitionOf(tenantId),
  };
}

/** Retryable: the event is handed out again, to the owner of the partition. */
function notOurs(): AppError {
  return new AppError('UPSTREAM_UNAVAILABLE', 'The partition has another owner.');
}
