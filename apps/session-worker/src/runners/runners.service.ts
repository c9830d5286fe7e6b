import { Injectable } from '@nestjs/common';
import { type FailureCode, SessionDeleted, type StatusReason } from '@svc/contracts';
import { eventOf, insertEvents, log, OutboxService } from '@svc/service';
import { DataSource } from 'typeorm';
import { SessionStores } from '../credentials/session-stores.js';
import { type Fence, LeaseLostError } from '../ownership/fence.js';
import { failureOf } from '../sending/outbound.js';
import { NewChats } from '../sending/new-chats.js';
import { SessionSenders } from '../sending/session-senders.js';
import { Session } from '../sessions/session.entity.js';
import { markApplied, writeRestrictions, writeStatus } from '../sessions/session-rows.js';
import { SessionLogins } from './session-logins.js';
import { SessionRunner } from './session-runner.js';

/** A runner, and the sealed proxy that its session was given last. */
interface Held {
  runner: SessionRunner;
  partition: number;
  proxy: Buffer | null;
}

/** The runners of this process: one per session of the partitions it owns that shall be connected. */
@Injectable()
export class RunnersService {
  private readonly runners = new Map<string, Held>();
  private readonly turns = new Map<string, Promise<void>>();
  /** Partitions whose sessions may run here, with the epoch. */
  private readonly epochs = new Map<number, number>();
  /** Told when a fenced write was refused. */
  onLeaseLost: (fence: Fence) => void = () => undefined;

  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: OutboxService,
    private readonly stores: SessionStores,
    private readonly senders: SessionSenders,
    private readonly logins: SessionLogins,
  ) {}

  /** A partition is ours: its sessions may run here until it is released or lost. */
  hold({ partition, epoch }: Fence): void {
    this.epochs.set(partition, epoch);
  }

  /** Brings about what the row asks for; wishes of one session are carried out one after the other. */
  async reconcile(sessionId: string, fence: Fence): Promise<void> {
    const turn = (this.turns.get(sessionId) ?? Promise.resolve()).then(() => this.apply(sessionId, fence));
    const settled = turn.catch(() => undefined);
    this.turns.set(sessionId, settled);
    await turn.finally(() => {
      if (this.turns.get(sessionId) === settled) this.turns.delete(sessionId);
    });
  }

  /** The runner of a session, if it has one here. */
  of(sessionId: string): SessionRunner | undefined {
    return this.runners.get(sessionId)?.runner;
  }

  /** There may be something to send. */
  wake(sessionId: string): void {
    this.of(sessionId)?.wake();
  }

  /** All sessions of a partition, whether they have a runner or not. */
  async sessionsOf(partition: number): Promise<string[]> {
    const rows = await this.dataSource.query<{ id: string }[]>(
      'SELECT id FROM session WHERE partition = $1',
      [partition],
    );
    return rows.map(({ id }) => id);
  }

  /** Sessions that have a runner. */
  running(): string[] {
    return [...this.runners.keys()];
  }

  /** Ends messages that waited too long, except those that may be on their way at this moment. */
  async expire(sessionId: string, fence: Fence, jobIds: string[]): Promise<void> {
    const inHand = new Set(await this.of(sessionId)?.inHand());
    const idle = jobIds.filter((jobId) => !inHand.has(jobId));
    if (idle.length > 0) await this.senders.ledger(sessionId, fence).fail(idle, failureOf('EXPIRED'));
  }

  /** A partition goes to another worker in good order; resolves to the sessions that were connected. */
  async release(partition: number): Promise<string[]> {
    this.epochs.delete(partition);
    const ids = this.idsOf(partition);
    const connected = ids.filter((id) => this.of(id)?.connected);
    await Promise.allSettled(ids.map((id) => this.end(id, 'MAINTENANCE')));
    return connected;
  }

  /** A partition is lost: its sockets close at once. */
  kill(partition: number): void {
    this.epochs.delete(partition);
    for (const id of this.idsOf(partition)) {
      this.of(id)?.kill();
      this.runners.delete(id);
    }
  }

  /** Once all partitions are released: resolves when what their sessions told last is out. */
  async stop(): Promise<void> {
    await this.outbox.stop();
  }

  /** A wish may have waited for its turn until the partition was somebody else's. */
  private holds({ partition, epoch }: Fence): boolean {
    return this.epochs.get(partition) === epoch;
  }

  private async apply(sessionId: string, fence: Fence): Promise<void> {
    const session = await this.dataSource.getRepository(Session).findOneBy({ id: sessionId });
    if (!session || !this.holds(fence)) return;
    if (session.wanted === 'CONNECTED') await this.connect(session, fence);
    if (session.wanted === 'DISCONNECTED') await this.disconnect(session, fence);
    if (session.wanted === 'LOGGED_OUT') await this.logout(session, fence);
    if (session.wanted === 'DELETED') return this.remove(session, fence);
    await markApplied(this.dataSource, fence, session);
  }

  private async connect(session: Session, fence: Fence): Promise<void> {
    const fresh = session.appliedVersion < session.wantedVersion;
    // A session that stopped by itself (nobody looked, replaced, logged out) starts again only when somebody asks.
    const resting = session.status === 'DISCONNECTED' || session.status === 'LOGGED_OUT';
    if (!fresh && resting) return;
    // One that is just about to end would take the wish with it.
    await this.of(session.id)?.idle();
    const held = this.runners.get(session.id);
    if (held) return this.reroute(held, session);
    if (!this.holds(fence)) throw new LeaseLostError(fence.partition);
    const runner = this.makeRunner(session, fence);
    const { partition, proxy } = session;
    this.runners.set(session.id, { runner, partition, proxy });
    await runner.start();
  }

  private reroute(held: Held, { proxy }: Session): void {
    if (proxy === held.proxy || (proxy && held.proxy?.equals(proxy))) return;
    held.proxy = proxy;
    held.runner.reroute();
  }

  private async disconnect(session: Session, fence: Fence): Promise<void> {
    if (this.runners.has(session.id)) await this.end(session.id, 'USER_REQUEST');
    else if (session.status !== 'DISCONNECTED' && session.status !== 'LOGGED_OUT') {
      await this.makeRunner(session, fence).stop('USER_REQUEST');
    }
  }

  private async logout(
    session: Session,
    fence: Fence,
    failure: FailureCode = 'SESSION_LOGGED_OUT',
  ): Promise<void> {
    if (session.status === 'LOGGED_OUT') return;
    const runner = this.of(session.id) ?? this.makeRunner(session, fence);
    try {
      await runner.logout('LOGOUT_REQUESTED', failure);
    } finally {
      this.drop(session.id);
    }
  }

  private async remove(session: Session, fence: Fence): Promise<void> {
    await this.logout(session, fence, 'SESSION_DELETED');
    await this.senders.ledger(session.id, fence).fail(null, failureOf('SESSION_DELETED'));
    const { id: sessionId, tenantId, wantedBy: actor } = session;
    const timestamp = new Date().toISOString();
    const told = eventOf(SessionDeleted, tenantId, { sessionId, ...(actor && { actor }), timestamp });
    const gone = await this.dataSource.transaction(async (tx) => {
      await tx.query('DELETE FROM outbound_message WHERE session_id = $1', [session.id]);
      await tx.query('DELETE FROM inbound_message WHERE session_id = $1', [session.id]);
      // Their files are in no database: the rows say which there are until they are gone (retention.service.ts).
      await tx.query(
        `UPDATE inbound_media SET status = 'FAILED', envelope = NULL, received_at = '-infinity' WHERE session_id = $1`,
        [session.id],
      );
      const { affected } = await tx.delete(Session, { id: sessionId });
      if (affected) await insertEvents(tx, [told]);
      return Boolean(affected);
    });
    if (gone) this.outbox.publish([told]);
    this.stores.forget(session.id);
    log().info({ sessionId: session.id }, 'session deleted');
  }

  private async end(sessionId: string, reason: StatusReason): Promise<void> {
    try {
      await this.of(sessionId)?.stop(reason);
    } finally {
      this.drop(sessionId);
    }
  }

  private drop(sessionId: string): void {
    this.of(sessionId)?.kill();
    this.runners.delete(sessionId);
  }

  private idsOf(partition: number): string[] {
    return [...this.runners].filter(([, held]) => held.partition === partition).map(([id]) => id);
  }

  private makeRunner(session: Session, fence: Fence): SessionRunner {
    const { id, tenantId, status, restrictions } = session;
    const { dataSource, logins } = this;
    const store = this.stores.of({ session: { id, tenantId }, fence });
    const ledger = this.senders.ledger(id, fence);
    const newChats = new NewChats(id, restrictions, dataSource);
    const gone = (): void => {
      if (this.of(id) === runner) this.runners.delete(id);
    };
    const runner = new SessionRunner(
      { id, tenantId, status },
      {
        store,
        ledger,
        sender: this.senders.sender(ledger, newChats),
        newChats,
        loginTimeoutMs: logins.timeoutMs,
        logins: logins.gate,
        open: (credentials, listener) => logins.open(id, credentials, store, listener),
        writeStatus: async (change, events) => {
          await writeStatus(dataSource, fence, id, change, events);
          this.outbox.publish(events);
        },
        writeRestrictions: (kept) => writeRestrictions(dataSource, fence, id, kept),
        lookedAtUntil: async () => {
          const [row] = await dataSource.query<{ until: number }[]>(
            `SELECT extract(epoch FROM greatest(looked_at_until, 'epoch'))::float8 * 1000 AS until
             FROM session WHERE id = $1`,
            [id],
          );
          return row?.until ?? 0;
        },
        onLeaseLost: () => {
          gone();
          this.onLeaseLost(fence);
        },
        onEnded: gone,
      },
    );
    return runner;
  }
}
