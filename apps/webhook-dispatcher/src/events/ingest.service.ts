import { Injectable } from '@nestjs/common';
import { AppError, EventLogGrew, PUBLIC_EVENTS } from '@svc/contracts';
import { isPassing, type Patience, patiently } from '@svc/database';
import { type HandedEvent, Messaging, partitionOf, type ReadEvent } from '@svc/messaging';
import { log, messageError } from '@svc/service';
import { validate as isUuid } from 'uuid';
import { Batches } from '../batches.js';
import { DeliveryScheduler } from '../lanes/delivery-scheduler.js';
import { deliveryId } from '../lanes/delivery-id.js';
import { OwnedPartitions } from '../ownership/owned-partitions.js';
import type { QueuedDelivery } from '../lanes/queued-delivery.js';
import { EndpointDirectory, type Receiver, type Receivers } from '../endpoints/endpoint-directory.js';
import { conversationOf } from './conversation.js';
import { personsOf } from './erased-events.js';
import { atStep } from '../steps.js';
import { type Arrived, type CommitOutcome, EventRepository, type RoutedEvent } from './event.repository.js';
import { receiversOf } from './routing.js';

const MAX_BYTES = 8 * 1024 * 1024;
/** How long a batch waits for a database that is away: less than it takes the stream to hand its events out again. */
const PATIENCE_MS = 5_000;

const PUBLIC: ReadonlySet<string> = new Set(PUBLIC_EVENTS);

/** An event as it is handed in. */
export type Handed = Pick<HandedEvent, 'size' | 'read' | 'done' | 'failed'>;

type Candidate = { event: Arrived; epoch: number; receivers: Receiver[] };
type Refusal = { event: Arrived; error: unknown };
type Known = { receivers: Receivers } | { error: unknown };

/** Takes events in: they and their deliveries are committed before the event is acked. */
@Injectable()
export class IngestService {
  private readonly batches = new Batches<Handed>(
    { maxSize: 256, lingerMs: 1, maxWeight: MAX_BYTES, weight: ({ size }) => size },
    (batch) => this.carryOut(batch),
  );

  constructor(
    private readonly events: EventRepository,
    private readonly directory: EndpointDirectory,
    private readonly scheduler: DeliveryScheduler,
    private readonly owned: OwnedPartitions,
    private readonly messaging: Messaging,
  ) {}

  /** It is told when it is committed; or why it cannot be taken, for good or not now. */
  take(event: Handed): void {
    this.batches.add(event);
  }

  private async carryOut(batch: Handed[]): Promise<void> {
    const arrivals: { handed: Handed; event: Arrived }[] = [];
    for (const handed of batch) {
      try {
        const read = handed.read();
        if (PUBLIC.has(read.envelope.type)) arrivals.push({ handed, event: arrived(read) });
        else handed.done();
      } catch (error) {
        handed.failed(messageError(error));
      }
    }
    const refusals = await this.commit(arrivals.map(({ event }) => event));
    for (const { handed, event } of arrivals) {
      const refusal = refusals.size > 0 && refusals.get(event.id);
      if (refusal) handed.failed(messageError(refusal.error));
      else handed.done();
    }
  }

  /** @returns what was refused, by id. */
  private async commit(batch: Arrived[]): Promise<Map<string, Refusal>> {
    const patience = patienceOf(batch.length);
    const events = [...new Map(batch.map((event) => [event.id, event])).values()];
    // Before the endpoints are asked: what an owner of the time in between changed, they would not show.
    const epochs = new Map<number, number | undefined>();
    for (const { partition } of events)
      if (!epochs.has(partition)) epochs.set(partition, this.owned.epochOf(partition));
    const known = await this.receiversOf(new Set(events.map(({ tenantId }) => tenantId)), patience);
    const refused: Refusal[] = [];
    // Those without a receiver, too: the log of a tenant has all its events.
    const routed: Candidate[] = [];
    for (const event of events) {
      const route = this.route(event, known.get(event.tenantId), epochs.get(event.partition));
      if ('error' in route) refused.push(route);
      else routed.push(route);
    }
    try {
      refused.push(...(await this.writeOrPart(routed, patience)));
    } catch (error) {
      refused.push(...routed.map(({ event }) => ({ event, error })));
    }
    return new Map(refused.map((refusal) => [refusal.event.id, refusal]));
  }

  /** Endpoints by tenant. What is wrong with one tenant is an answer and no exception: a batch holds events of many. */
  private async receiversOf(tenantIds: Set<string>, patience: Patience): Promise<Map<string, Known>> {
    const known = new Map<string, Known>();
    const ask = async (tenantId: string): Promise<void> => {
      try {
        const receivers = await patiently(() => this.directory.ofTenant(tenantId), patience);
        known.set(tenantId, { receivers });
      } catch (error) {
        known.set(tenantId, { error });
      }
    };
    await Promise.all([...tenantIds].map(ask));
    return known;
  }

  /** Whom an event goes to. */
  private route(
    event: Arrived,
    known: Known = { error: undefined },
    epoch: number | undefined,
  ): Candidate | Refusal {
    if ('error' in known) return { event, error: known.error };
    if (epoch === undefined) return notOurs({ event });
    return { event, epoch, receivers: receiversOf(event, known.receivers) };
  }

  /** One that the database does not take must not take the others of its batch along. */
  private async writeOrPart(candidates: Candidate[], patience: Patience): Promise<Refusal[]> {
    try {
      return await this.write(candidates, patience);
    } catch (error) {
      if (isPassing(error)) throw error;
      if (candidates.length === 1) return candidates.map(({ event }) => ({ event, error }));
      const refusals: Refusal[] = [];
      for (const one of candidates) refusals.push(...(await this.writeOrPart([one], patience)));
      return refusals;
    }
  }

  private async write(candidates: Candidate[], patience: Patience): Promise<Refusal[]> {
    // Once more, and right before they get their places: a lease that ended meanwhile has no lanes, a new one has others.
    const ours = candidates.filter(({ event, epoch }) => this.owned.epochOf(event.partition) === epoch);
    if (ours.length === 0) return candidates.map(notOurs);
    const routed = ours.map((candidate) => this.plan(candidate));
    let outcome: CommitOutcome | undefined;
    try {
      atStep('hook-1');
      outcome = await patiently(() => this.events.commit(routed), patience);
      atStep('hook-2');
      this.tellReaders(routed, outcome);
      const { partitions } = outcome;
      return candidates.filter(({ event }) => !partitions.has(event.partition)).map(notOurs);
    } finally {
      for (const { item, state } of routed.flatMap(({ deliveries }) => deliveries)) {
        this.scheduler.settle(item, state, outcome !== undefined && !outcome.unwritten.has(item.eventId));
      }
      this.scheduler.onWork();
    }
  }

  /** Who reads a log as it grows need not wait for its next look. */
  private tellReaders(routed: RoutedEvent[], { unwritten }: CommitOutcome): void {
    const fresh = routed.filter(({ event }) => !unwritten.has(event.id));
    const tenantIds = [...new Set(fresh.map(({ event }) => event.tenantId))];
    if (tenantIds.length > 0 && this.messaging.isConnected())
      this.messaging.notify(EventLogGrew.subject, { tenantIds });
  }

  private plan({ event, epoch, receivers }: Candidate): RoutedEvent {
    const { id: eventId, tenantId, partition, conversation, kind, payload } = event;
    const deliveries = receivers.map((receiver) => {
      const item: QueuedDelivery = {
        id: deliveryId(eventId, receiver.id),
        eventId,
        endpointId: receiver.id,
        tenantId,
        partition,
        epoch,
        attempt: 1,
        replay: false,
        conversation,
        kind,
        payload,
        strict: receiver.ordering === 'STRICT',
        era: undefined,
      };
      this.scheduler.follow(item, receiver);
      return { item, state: this.scheduler.plan(item) };
    });
    return { event, epoch, deliveries };
  }
}

/** Of one batch: given back to the stream, the events of a conversation would come again in any order. It is said once. */
function patienceOf(events: number): Patience {
  let said = false;
  const onFailure = (error: unknown): void => {
    if (!said) log().warn({ err: error, events }, 'events could not be taken in, trying again');
    said = true;
  };
  return { patienceMs: PATIENCE_MS, since: performance.now(), onFailure };
}

function arrived({ envelope, bytes }: ReadEvent): Arrived {
  const { id, tenantId, type, data } = envelope;
  const { sessionId = null } = data as { sessionId?: unknown };
  if (sessionId !== null && !isUuid(sessionId)) {
    throw new AppError('VALIDATION_FAILED', 'sessionId is not a UUID.');
  }
  const persons = personsOf(envelope);
  if (Number.isNaN(persons.at.getTime())) {
    throw new AppError('VALIDATION_FAILED', 'The time of the event is not an ISO 8601 time.');
  }
  return {
    // As the database gives it back.
    id: id.toLowerCase(),
    tenantId,
    sessionId: sessionId as string | null,
    kind: type,
    conversation: conversationOf(data),
    // Once: these bytes are what every attempt sends.
    payload: bytes,
    partition: partitionOf(tenantId),
    persons,
  };
}

/** Retryable: the event is handed out again, to the owner of the partition. */
function notOurs({ event }: { event: Arrived }): Refusal {
  return { event, error: new AppError('UPSTREAM_UNAVAILABLE', 'The partition has another owner.') };
}
