import { Injectable } from '@nestjs/common';
import { AppError, EventLogGrew, PUBLIC_EVENTS, SessionDeleted } from '@svc/contracts';
import { Batches, isPassing, type Patience, patiently } from '@svc/database';
import { type HandedEvent, Messaging } from '@svc/messaging';
import { PartitionOwner } from '@svc/ownership';
import { log, messageError } from '@svc/service';
import { SessionDeletionsService } from '../bound/session-deletions.service.js';
import { EndpointDirectory, type Receiver, type Receivers } from '../endpoints/endpoint-directory.js';
import { DeliveryScheduler } from '../lanes/delivery-scheduler.js';
import type { QueuedDelivery } from '../lanes/queued-delivery.js';
import { atStep } from '../steps.js';
import { type CommitOutcome, EventRepository, type RoutedEvent } from './event.repository.js';
import { deliveryId, type NewEvent, newEventOf, receiversOf } from './routing.js';

const MAX_BYTES = 8 * 1024 * 1024;
/** Longest that a batch waits for a database that is away, in ms: less than the stream takes to hand its events out again. */
const PATIENCE_MS = 5_000;

const PUBLIC: ReadonlySet<string> = new Set(PUBLIC_EVENTS);

/** Incoming event, with the calls that report its commit or its refusal. */
export type IncomingEvent = Pick<HandedEvent, 'size' | 'read' | 'done' | 'failed'>;

type Route = { event: NewEvent; epoch: number; receivers: Receiver[] };
type Refusal = { event: NewEvent; error: unknown };
/** The endpoints of a tenant, or why they could not be read. */
type Lookup = { receivers: Receivers } | { error: unknown };

/** This service takes events in: they and their deliveries are committed before the event is acked. */
@Injectable()
export class IngestService {
  private readonly batches = new Batches<IncomingEvent>({
    ...{ maxSize: 256, lingerMs: 1, maxWeight: MAX_BYTES, weight: ({ size }) => size },
    handle: (batch) => this.ingest(batch),
    onFailure: (error) => log().error({ err: error }, 'a batch failed'),
  });

  constructor(
    private readonly events: EventRepository,
    private readonly directory: EndpointDirectory,
    private readonly scheduler: DeliveryScheduler,
    private readonly owner: PartitionOwner,
    private readonly messaging: Messaging,
    private readonly deletions: SessionDeletionsService,
  ) {}

  /** Takes an event in, and reports to it when it is committed; or why it cannot be taken, for good or not now. */
  take(event: IncomingEvent): void {
    this.batches.add(event);
  }

  private async ingest(batch: IncomingEvent[]): Promise<void> {
    const readable: { incoming: IncomingEvent; event: NewEvent }[] = [];
    for (const incoming of batch) {
      try {
        const read = incoming.read();
        const { type } = read.envelope;
        if (PUBLIC.has(type)) readable.push({ incoming, event: newEventOf(read) });
        else {
          if (type === SessionDeleted.name) await this.deletions.take(read.envelope);
          incoming.done();
        }
      } catch (error) {
        incoming.failed(messageError(error));
      }
    }
    const refusals = await this.commit(readable.map(({ event }) => event));
    for (const { incoming, event } of readable) {
      const refusal = refusals.size > 0 && refusals.get(event.id);
      if (refusal) incoming.failed(messageError(refusal.error));
      else incoming.done();
    }
  }

  /**
   * Commits a batch.
   * @returns what was refused, by id.
   */
  private async commit(batch: NewEvent[]): Promise<Map<string, Refusal>> {
    const patience = patienceOf(batch.length);
    const events = [...new Map(batch.map((event) => [event.id, event])).values()];
    // Read before the endpoints are: they would not show what another owner, of the time in between, has changed.
    const epochs = new Map<number, number | undefined>();
    for (const { partition } of events)
      if (!epochs.has(partition)) epochs.set(partition, this.owner.epochOf(partition));
    const lookups = await this.receiversOf(new Set(events.map(({ tenantId }) => tenantId)), patience);
    const refusals: Refusal[] = [];
    // Events without a receiver get a row, too: the log of a tenant has all its events.
    const routes: Route[] = [];
    for (const event of events) {
      const route = this.route(event, lookups.get(event.tenantId), epochs.get(event.partition));
      if ('error' in route) refusals.push(route);
      else routes.push(route);
    }
    try {
      refusals.push(...(await this.writeOrSplit(routes, patience)));
    } catch (error) {
      refusals.push(...routes.map(({ event }) => ({ event, error })));
    }
    return new Map(refusals.map((refusal) => [refusal.event.id, refusal]));
  }

  /** Reads endpoints by tenant. What is wrong with one tenant is no exception: a batch holds events of many. */
  private async receiversOf(tenantIds: Set<string>, patience: Patience): Promise<Map<string, Lookup>> {
    const lookups = new Map<string, Lookup>();
    const ask = async (tenantId: string): Promise<void> => {
      try {
        const receivers = await patiently(() => this.directory.ofTenant(tenantId), patience);
        lookups.set(tenantId, { receivers });
      } catch (error) {
        lookups.set(tenantId, { error });
      }
    };
    await Promise.all([...tenantIds].map(ask));
    return lookups;
  }

  /** Chooses the endpoints of an event. */
  private route(
    event: NewEvent,
    lookup: Lookup = { error: undefined },
    epoch: number | undefined,
  ): Route | Refusal {
    if ('error' in lookup) return { event, error: lookup.error };
    if (epoch === undefined) return refuseForeign({ event });
    return { event, epoch, receivers: receiversOf(event, lookup.receivers) };
  }

  /** Writes a batch, or its events one by one: one that the database does not take must not take the others along. */
  private async writeOrSplit(routes: Route[], patience: Patience): Promise<Refusal[]> {
    try {
      return await this.write(routes, patience);
    } catch (error) {
      if (isPassing(error)) throw error;
      if (routes.length === 1) return routes.map(({ event }) => ({ event, error }));
      const refusals: Refusal[] = [];
      for (const one of routes) refusals.push(...(await this.writeOrSplit([one], patience)));
      return refusals;
    }
  }

  private async write(routes: Route[], patience: Patience): Promise<Refusal[]> {
    // Owners are checked once more, right before the deliveries get their places: a lease that ended meanwhile has no lanes, a new one has
    // others.
    const ours = routes.filter(({ event, epoch }) => this.owner.epochOf(event.partition) === epoch);
    if (ours.length === 0) return routes.map(refuseForeign);
    const routed = ours.map((route) => this.plan(route));
    let outcome: CommitOutcome | undefined;
    try {
      atStep('hook-1');
      outcome = await patiently(() => this.events.commit(routed), patience);
      atStep('hook-2');
      this.notifyReaders(routed, outcome);
      const { partitions } = outcome;
      return routes.filter(({ event }) => !partitions.has(event.partition)).map(refuseForeign);
    } finally {
      for (const { item, state } of routed.flatMap(({ deliveries }) => deliveries)) {
        this.scheduler.commitPlan(item, state, outcome !== undefined && !outcome.unwritten.has(item.eventId));
      }
      this.scheduler.events.emit('work');
    }
  }

  /** Notifies readers who follow a log: they need not wait for their next look. */
  private notifyReaders(routed: RoutedEvent[], { unwritten }: CommitOutcome): void {
    const fresh = routed.filter(({ event }) => !unwritten.has(event.id));
    const tenantIds = [...new Set(fresh.map(({ event }) => event.tenantId))];
    if (tenantIds.length > 0 && this.messaging.isConnected())
      this.messaging.notify(EventLogGrew, { tenantIds });
  }

  private plan({ event, epoch, receivers }: Route): RoutedEvent {
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
        laneVersion: undefined,
      };
      this.scheduler.checkGeneration(item, receiver);
      return { item, state: this.scheduler.plan(item) };
    });
    return { event, epoch, deliveries };
  }
}

/** Makes the patience of one batch: back in the stream, the events of a conversation would come again in any order. It is logged once. */
function patienceOf(events: number): Patience {
  let isLogged = false;
  const onFailure = (error: unknown): void => {
    if (!isLogged) log().warn({ err: error, events }, 'events could not be taken in, trying again');
    isLogged = true;
  };
  return { patienceMs: PATIENCE_MS, since: performance.now(), onFailure };
}

/** Refuses an event for another owner, retryable: it is handed out again, to the owner of the partition. */
function refuseForeign({ event }: { event: NewEvent }): Refusal {
  return { event, error: new AppError('UPSTREAM_UNAVAILABLE', 'The partition has another owner.') };
}
