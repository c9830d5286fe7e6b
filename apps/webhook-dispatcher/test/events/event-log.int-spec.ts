import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  type Aspect,
  EventLogGrew,
  type EventLogReply,
  FindEventLogEnds,
  MessageReceived,
  type MessageReceivedV1,
  MessageSent,
  partitionOf,
  ReadEventLog,
  type ReadEventLogV1,
} from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { PartitionOwner } from '@svc/ownership';
import { ErasedContacts } from '@svc/service';
import { waitFor } from '@svc/testing';
import { DataSource, type QueryRunner } from 'typeorm';
import { EventRepository, type RoutedEvent } from '../../src/events/event.repository.js';
import { aMessage, NOBODY } from '../producer.js';
import { Stage } from '../stage.js';

const stage = Stage.ofThisFile();
beforeAll(() => stage.boot());

let tenantId: string;
beforeEach(() => void (tenantId = randomUUID()));

const read = (request: Partial<ReadEventLogV1> = {}): Promise<EventLogReply> =>
  stage.rpc.request(ReadEventLog, { tenantId, limit: 200, ...request });

const idsOf = ({ events }: EventLogReply): string[] => events.map(({ id }) => id);

/** Publishes events one after the other and waits until all are in the log. */
async function logged(...messages: Partial<MessageReceivedV1>[]): Promise<string[]> {
  const ids = [];
  for (const fields of messages) ids.push((await stage.producer.received(tenantId, fields)).id);
  await waitFor('the log', async () => idsOf(await read()).length === ids.length);
  return ids;
}

describe('the event log', () => {
  test('has every event in order of arrival, whether anybody is subscribed or not', async () => {
    const data = aMessage({ body: { type: 'text', text: 'x\u2028\ud800"' } });
    const [first] = await logged(data);
    const endpoint = await stage.endpoint(tenantId, stage.at('/reads'), ['message.read']);
    await stage.producer.publish({
      ...envelopeOf(MessageReceived, { tenantId }, data),
      type: 'subscription.changed',
    });
    const { id: second } = await stage.producer.received(tenantId);
    const log = await waitFor('the log', async () => {
      const all = await read();
      return all.events.length === 2 && all;
    });
    expect(idsOf(log)).toEqual([first, second]);
    expect(log.events[0]).toMatchObject({ event: 'message.received', payload: data });
    expect(Math.abs(Date.parse(log.events[0]?.createdAt ?? '') - Date.now())).toBeLessThan(60_000);
    expect(await stage.deliveries(tenantId, endpoint.id)).toEqual([]);
    expect(stage.receiver.received).toEqual([]);
  });

  test('is read page by page; the last cursor finds what comes later', async () => {
    const ids = await logged(...Array.from({ length: 7 }, () => ({})));
    const pages = [];
    let after: string | undefined;
    for (let more = true; more;) {
      const page = await read({ limit: 3, ...(after && { after }) });
      pages.push(idsOf(page));
      after = page.position ?? undefined;
      more = page.more;
    }
    expect(pages.flat()).toEqual(ids);
    expect(pages[0]).toHaveLength(3);
    const end = after ?? '';
    expect(await read({ after: end })).toEqual({ events: [], positions: [], position: end, more: false });
    const { id } = await stage.producer.received(tenantId);
    const later = await waitFor('the next event', async () => {
      const page = await read({ after: end });
      return page.events.length > 0 && page;
    });
    expect(idsOf(later)).toEqual([id]);
  });

  test('of a tenant without events is empty and has no cursor yet', async () => {
    const emptyAt = expect.any(String);
    expect(await read()).toEqual({ events: [], positions: [], position: null, emptyAt, more: false });
  });

  test('that was empty is read from its first event by who saw that', async () => {
    const { emptyAt = '' } = await read();
    expect(await read({ emptyAt })).toMatchObject({ events: [], position: null });
    const ids = await logged({}, {});
    expect(idsOf(await read({ emptyAt }))).toEqual(ids);
  });

  test('is narrowed by event and session, and the cursor passes over what does not match', async () => {
    const sessionId = randomUUID();
    await logged({ sessionId }, {}, { sessionId });
    const sent = {
      ...envelopeOf(MessageReceived, { tenantId }, aMessage({ sessionId })),
      type: MessageSent.name,
    };
    await stage.producer.publish(sent);
    await waitFor('the log', async () => (await read()).events.length === 4);
    const whole = await read();
    const [one, , three, four] = idsOf(whole);
    expect(idsOf(await read({ sessionId }))).toEqual([one, three, four]);
    expect(idsOf(await read({ event: 'message.sent' }))).toEqual([four]);
    expect(idsOf(await read({ event: 'message.received', sessionId }))).toEqual([one, three]);
    expect(await read({ event: 'message.read' })).toEqual({
      events: [],
      positions: [],
      position: whole.position,
      more: false,
    });
    const cut = await read({ sessionId, limit: 1 });
    expect([idsOf(cut), cut.more]).toEqual([[one], true]);
    expect(idsOf(await read({ sessionId, after: cut.position ?? '' }))).toEqual([three, four]);
  });

  test('has all that is said, and leaves out what its reader does not want to hear', async () => {
    const change = { kind: 'EDITED' as const, keyId: '3EB0' };
    const [plain, group, own, edit] = await logged({}, { isGroup: true }, { fromMe: true }, { change });
    const without = async (...aspects: Aspect[]) => idsOf(await read({ without: aspects }));
    expect(await without()).toEqual([plain, group, own, edit]);
    expect(await without('groups')).toEqual([plain, own, edit]);
    expect(await without('own')).toEqual([plain, group, edit]);
    expect(await without('own', 'changes')).toEqual([plain, group]);
    const page = await read({ without: ['groups', 'own', 'changes'], limit: 1 });
    expect([idsOf(page), page.position]).toEqual([[plain], (await read()).position]);
  });

  test('can be gone on with from any of its events', async () => {
    const ids = await logged({}, {}, {});
    const { positions = [], position } = await read();
    expect(positions.at(-1)).toBe(position);
    expect(idsOf(await read({ after: positions[0] as string }))).toEqual(ids.slice(1));
    expect(idsOf(await read({ after: positions[1] as string }))).toEqual(ids.slice(2));
  });

  test('is announced as it grows, and its end is known without reading it', async () => {
    const notices: unknown[] = [];
    await stage.producer.notices(EventLogGrew, (notice) => notices.push(notice));
    const silent = randomUUID();
    const ends = async () =>
      (await stage.rpc.request(FindEventLogEnds, { tenantIds: [silent, tenantId] })).ends;
    expect(await ends()).toEqual(['0', '0']);
    await logged({});
    await waitFor('the notice', () => notices.length > 0);
    expect(notices).toEqual([{ tenantIds: [tenantId] }]);
    expect(await ends()).toEqual(['0', (await read()).position]);
  });

  test('gives pages that fit through the line, however large the events are', async () => {
    const text = 'x'.repeat(300_000);
    const ids: string[] = [];
    for (let i = 0; i < 4; i += 1)
      ids.push((await stage.producer.received(tenantId, { body: { type: 'text', text } })).id);
    const seen: string[] = [];
    let after: string | undefined;
    await waitFor('all four', async () => {
      const page = await read(after ? { after } : {});
      expect(page.events.length).toBeLessThanOrEqual(2);
      seen.push(...idsOf(page));
      after = page.position ?? undefined;
      return seen.length === 4;
    });
    expect(seen).toEqual(ids);
  });

  test('refuses a cursor that is older than the retention, although a dead letter keeps its event', async () => {
    const [first] = await logged({}, {});
    const { position } = await read({ limit: 1 });
    const sql = `UPDATE webhooks.webhook_event SET created_at = now() - interval '31 days' WHERE id = $1`;
    await stage.database.query(sql, [first]);
    await expect(read({ after: position ?? '' })).rejects.toMatchObject({ code: 'CURSOR_EXPIRED' });
  });

  test('refuses who saw it empty longer ago than events are kept: what came next may be gone', async () => {
    const [first] = await logged({}, {});
    const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();
    await stage.database.query('DELETE FROM webhooks.webhook_event WHERE id = $1', [first]);
    await expect(read({ emptyAt: daysAgo(31) })).rejects.toMatchObject({ code: 'CURSOR_EXPIRED' });
    expect((await read({ emptyAt: daysAgo(29) })).events).toHaveLength(1);
  });

  test('refuses a cursor whose event is not kept any more', async () => {
    const [first] = await logged({}, {});
    const { position } = await read({ limit: 1 });
    await stage.database.query('DELETE FROM webhooks.webhook_event WHERE id = $1', [first]);
    await expect(read({ after: position ?? '' })).rejects.toMatchObject({ code: 'CURSOR_EXPIRED' });
    expect((await read()).events).toHaveLength(1);
  });
});

describe('two that commit events of a tenant at the same time', () => {
  const anEvent = (): RoutedEvent => {
    const partition = partitionOf(tenantId);
    const epoch = stage.get(PartitionOwner).epochOf(partition) ?? 0;
    const content = { kind: 'message.received', conversation: 0, payload: Buffer.from('{}') };
    return {
      event: {
        id: randomUUID(),
        tenantId,
        sessionId: null,
        partition,
        aspects: [],
        persons: NOBODY,
        ...content,
      },
      epoch,
      deliveries: [],
    };
  };

  const repositoryOn = (slow: QueryRunner): EventRepository =>
    new EventRepository(slow as unknown as DataSource, stage.get(ErasedContacts));

  test('come one after the other: a reader who has seen the later one has seen the earlier', async () => {
    const slow = stage.get(DataSource).createQueryRunner();
    const [earlier, later] = [anEvent(), anEvent()];
    await slow.startTransaction();
    await repositoryOn(slow).commit([earlier]);
    let committed = false;
    const second = stage
      .get(EventRepository)
      .commit([later])
      .then(() => (committed = true));
    await waitFor('the second to wait', async () => {
      const sql = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND classid = ${0x5c_10}`;
      return committed || (await stage.database.query(sql)).length > 0;
    });
    const before = await read();
    expect([committed, before]).toMatchObject([false, { events: [], position: null, more: false }]);
    await slow.commitTransaction();
    await slow.release();
    await second;
    expect(idsOf(await read())).toEqual([earlier.event.id, later.event.id]);
  });

  test('one that fails holds nobody up', async () => {
    const slow = stage.get(DataSource).createQueryRunner();
    const [never, later] = [anEvent(), anEvent()];
    await slow.startTransaction();
    await repositoryOn(slow).commit([never]);
    const second = stage.get(EventRepository).commit([later]);
    await slow.rollbackTransaction();
    await slow.release();
    await second;
    expect(idsOf(await read())).toEqual([later.event.id]);
  });
});
