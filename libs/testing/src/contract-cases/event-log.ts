import assert from 'node:assert/strict';
import {
  type EventLogReply,
  FindEventLogEnds,
  type LoggedEvent,
  ReadContactEvents,
  ReadEventLog,
  type ReadEventLogV1,
} from '@svc/contracts';
import {
  assertFields,
  assertRefused,
  type ContractCase,
  type ContractWorld,
  plain,
} from './contract-case.js';

/** The world of these cases: messages arrive in it. */
export interface EventLogWorld extends ContractWorld {
  /**
   * Has a message of each of these contacts arrive at a new tenant, in order and each at another session, and waits until all are in its log.
   * @returns the tenant, and the ids of the events
   */
  arrived(contacts: readonly string[]): Promise<{ tenantId: string; ids: string[] }>;
}

const ADA = '15550001234@s.whatsapp.net';
const BEN = '15550001235@s.whatsapp.net';
/** A number that no event has. */
const NOWHERE = '999999999999999999';

const idsOf = (events: LoggedEvent[]): string[] => events.map(({ id }) => id);

async function read({ rpc }: ContractWorld, request: ReadEventLogV1): Promise<Required<EventLogReply>> {
  return plain(await rpc.request(ReadEventLog, request)) as Required<EventLogReply>;
}

const READING: ContractCase<EventLogWorld>[] = [
  {
    name: 'the event log is read page by page to its end, and goes on from there',
    run: async (world) => {
      const { tenantId, ids } = await world.arrived([ADA, BEN, ADA]);
      const first = await read(world, { tenantId, limit: 2 });
      assert.deepEqual([idsOf(first.events), first.more], [ids.slice(0, 2), true]);
      assert.equal(first.position, first.positions[1]);
      const last = await read(world, { tenantId, limit: 2, after: String(first.position) });
      assert.deepEqual([idsOf(last.events), last.more], [ids.slice(2), false]);
      const end = String(last.position);
      assert.deepEqual(await read(world, { tenantId, limit: 2, after: end }), {
        ...{ events: [], positions: [], position: end, more: false },
      });
      assert.deepEqual((await world.rpc.request(FindEventLogEnds, { tenantIds: [tenantId] })).ends, [end]);
    },
  },
  {
    name: 'the place of each event is one to go on from',
    run: async (world) => {
      const { tenantId, ids } = await world.arrived([ADA, BEN, ADA]);
      const { positions } = await read(world, { tenantId, limit: 10 });
      assert.equal(positions.length, ids.length);
      for (const [index, after] of positions.entries()) {
        const { events } = await read(world, { tenantId, limit: 10, after });
        assert.deepEqual(idsOf(events), ids.slice(index + 1));
      }
    },
  },
  {
    name: 'the log of one kind of event, or of one session, leaves out the others and ends where the whole does',
    run: async (world) => {
      const { tenantId, ids } = await world.arrived([ADA, BEN, ADA]);
      const all = await read(world, { tenantId, limit: 10 });
      const sent = await read(world, { tenantId, limit: 10, event: 'message.sent' });
      assertFields(sent, { events: [], position: all.position, more: false });
      const { sessionId } = all.events[1]?.payload as { sessionId: string };
      const ofSession = await read(world, { tenantId, limit: 10, event: 'message.received', sessionId });
      assert.deepEqual(idsOf(ofSession.events), ids.slice(1, 2));
      assertFields(ofSession, { position: all.position, more: false });
    },
  },
  {
    name: 'a place that the log does not have any more is CURSOR_EXPIRED',
    run: async (world) => {
      const { tenantId } = await world.arrived([ADA]);
      await assertRefused(world, ReadEventLog, { tenantId, limit: 10, after: NOWHERE }, 'CURSOR_EXPIRED');
      const emptyAt = '2016-01-31T12:00:00.000Z';
      await assertRefused(world, ReadEventLog, { tenantId, limit: 10, emptyAt }, 'CURSOR_EXPIRED');
    },
  },
  {
    name: 'who saw the log empty a moment ago reads it from its first event',
    run: async (world) => {
      const emptyAt = new Date().toISOString();
      const { tenantId, ids } = await world.arrived([ADA, BEN]);
      assert.deepEqual(idsOf((await read(world, { tenantId, limit: 10, emptyAt })).events), ids);
    },
  },
];

const OF_CONTACTS: ContractCase<EventLogWorld>[] = [
  {
    name: 'the events that name a contact are read to the end of the log, each with its dead letters',
    run: async (world) => {
      const { tenantId, ids } = await world.arrived([ADA, BEN, ADA]);
      const found: string[] = [];
      let after: string | undefined;
      do {
        const request = { tenantId, contact: ADA, ...(after && { after }) };
        const { events, next } = await world.rpc.request(ReadContactEvents, request);
        for (const { deadLetters } of events) assert.deepEqual(plain(deadLetters), []);
        found.push(...idsOf(events));
        after = next ?? undefined;
      } while (after !== undefined && found.length <= ids.length);
      assert.deepEqual(found, [ids[0], ids[2]]);
    },
  },
];

/** Contract cases of `webhook-dispatcher`: the log of events. */
export const eventLogCases: readonly ContractCase<EventLogWorld>[] = [...READING, ...OF_CONTACTS];
