import { EventEmitter } from 'node:events';
import { Injectable } from '@nestjs/common';
import { type DisconnectReason, type FailureCode, partitionOf, SessionDeleted } from '@svc/contracts';
import { type Fence, LeaseLostError, PartitionOwner } from '@svc/ownership';
import { eventOf, insertEvents, log, OutboxService, SerialQueues } from '@svc/service';
import { DataSource } from 'typeorm';
import { SessionStores } from '../journal/session-stores.js';
import { failureOf } from '../sending/ledger/failures.js';
import { Ledger, type LedgerScope } from '../sending/ledger/ledger.js';
import { Session } from '../sessions/session.entity.js';
import { deleteSession, markApplied } from '../sessions/session-rows.js';
import { RunnerFactory } from './runner-factory.js';
import type { SessionRunner } from './session-runner.js';

/** Entry of a runner, with the sealed proxy that its session had last, and whether the session is of a sandbox. */
interface RunnerEntry {
  runner: SessionRunner;
  partition: number;
  proxy: Buffer | null;
  sandbox: boolean;
}

/** Holds the runners of this process: one per session of the partitions it owns that shall be connected. */
@Injectable()
export class RunnersService {
  /** Emitter of the fences whose writes were refused. */
  readonly events = new EventEmitter<{ leaseLost: [Fence] }>();
  private readonly runners = new Map<string, RunnerEntry>();
  /** Wishes that are being carried out, by session. */
  private readonly wishes = new SerialQueues();

  constructor(
    private readonly dataSource: DataSource,
    private readonly owner: PartitionOwner,
    private readonly outbox: OutboxService,
    private readonly stores: SessionStores,
    private readonly ledger: Ledger,
    private readonly factory: RunnerFactory,
  ) {}

  /** Brings about what the row asks for, if the partition is ours; wishes of one session are carried out one after the other. */
  async reconcile(sessionId: string): Promise<void> {
    const fence = this.owner.fenceOf(partitionOf(sessionId));
    if (!fence) return;
    await this.wishes.add(sessionId, () => this.apply(sessionId, fence));
  }

  /** The runner of a session, if it has one here. */
  of(sessionId: string): SessionRunner | undefined {
    return this.runners.get(sessionId)?.runner;
  }

  /** Says whether a session that has a runner here is of a sandbox. */
  isOfSandbox(sessionId: string): boolean {
    return this.runners.get(sessionId)?.sandbox === true;
  }

  /** Lists all sessions of a partition, with and without a runner. */
  async sessionsOf(partition: number): Promise<string[]> {
    const rows = await this.dataSource.query<{ id: string }[]>(
      'SELECT id FROM session WHERE partition = $1',
      [partition],
    );
    return rows.map(({ id }) => id);
  }

  /** Lists the sessions that have a runner. */
  running(): string[] {
    return [...this.runners.keys()];
  }

  /** Ends messages that waited too long, except those that may be on their way at this moment. */
  async expire(scope: LedgerScope, jobIds: string[]): Promise<void> {
    const inHand = new Set(await this.of(scope.sessionId)?.inHand());
    const idle = jobIds.filter((jobId) => !inHand.has(jobId));
    if (idle.length > 0) await this.ledger.fail(scope, idle, failureOf('EXPIRED'));
  }

  /** Stops the sessions of a partition in good order; resolves to those that were connected. */
  async release(partition: number): Promise<string[]> {
    const ids = this.idsOf(partition);
    const connected = ids.filter((id) => this.of(id)?.connected);
    await Promise.allSettled(ids.map((id) => this.end(id, 'MAINTENANCE')));
    return connected;
  }

  /** Closes the sockets of a partition that is lost, without a wait. */
  kill(partition: number): void {
    for (const id of this.idsOf(partition)) {
      this.of(id)?.kill();
      this.runners.delete(id);
    }
  }

  /** Says whether this process still owns the partition: a wish may have waited until it had another owner. */
  private holds({ partition, epoch }: Fence): boolean {
    return this.owner.epochOf(partition) === epoch;
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
    const isNewWish = session.appliedVersion < session.wantedVersion;
    // A session that stopped by itself (not viewed, replaced, logged out) starts again only at a new wish.
    const hasStopped = session.status === 'DISCONNECTED' || session.status === 'LOGGED_OUT';
    if (!isNewWish && hasStopped) return;
    // A runner that is just about to end would lose the wish.
    await this.of(session.id)?.idle();
    const entry = this.runners.get(session.id);
    if (entry) {
      entry.runner.setAlwaysOnline(session.alwaysOnline);
      return this.reroute(entry, session);
    }
    if (!this.holds(fence)) throw new LeaseLostError(fence.partition);
    const runner = this.makeRunner(session, fence);
    const { partition, proxy, sandbox } = session;
    this.runners.set(session.id, { runner, partition, proxy, sandbox });
    await runner.start();
  }

  private reroute(entry: RunnerEntry, { proxy }: Session): void {
    if (proxy === entry.proxy || (proxy && entry.proxy?.equals(proxy))) return;
    entry.proxy = proxy;
    entry.runner.reroute();
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
    const { id: sessionId, tenantId, wantedBy: actor } = session;
    await this.ledger.fail({ sessionId, fence }, null, failureOf('SESSION_DELETED'));
    const timestamp = new Date().toISOString();
    const event = eventOf(SessionDeleted, tenantId, { sessionId, ...(actor && { actor }), timestamp });
    const isDeleted = await this.dataSource.transaction(async (tx) => {
      const deleted = await deleteSession(tx, sessionId);
      if (deleted) await insertEvents(tx, [event]);
      return deleted;
    });
    if (isDeleted) this.outbox.publish([event]);
    this.stores.forget(sessionId);
    log().info({ sessionId }, 'session deleted');
  }

  private async end(sessionId: string, reason: DisconnectReason): Promise<void> {
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
    return [...this.runners].filter(([, entry]) => entry.partition === partition).map(([id]) => id);
  }

  private makeRunner(session: Session, fence: Fence): SessionRunner {
    const { id } = session;
    const forget = (runner: SessionRunner): void => {
      if (this.of(id) === runner) this.runners.delete(id);
    };
    return this.factory.make(session, fence, {
      ended: forget,
      leaseLost: (runner) => {
        forget(runner);
        this.events.emit('leaseLost', fence);
      },
    });
  }
}
