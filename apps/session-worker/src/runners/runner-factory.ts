import { Injectable } from '@nestjs/common';
import { isLive, isMoving } from '@svc/contracts';
import type { Fence } from '@svc/ownership';
import { OutboxService } from '@svc/service';
import { DataSource } from 'typeorm';
import { SessionStores } from '../journal/session-stores.js';
import { StoredStanzaEnds } from '../journal/stored-stanza-ends.js';
import { Platform } from '../platform/port.js';
import { Ledger } from '../sending/ledger/ledger.js';
import { NewChats } from '../sending/new-chats.js';
import { SessionSenders } from '../sending/session-senders.js';
import type { Session } from '../sessions/session.entity.js';
import {
  readViewedUntil,
  writeRestrictions,
  writeStanzaEnds,
  writeStatus,
} from '../sessions/session-rows.js';
import { SessionLogins } from './session-logins.js';
import { isLongWait } from './waits/next-login.js';
import { SessionRunner } from './session-runner.js';
import type { SessionSnapshot } from './status-log.js';

/** Listener for the end of a runner by itself. */
export interface RunnerEnd {
  /** Reports that a write was refused because the partition has another owner. */
  leaseLost(runner: SessionRunner): void;
  ended(runner: SessionRunner): void;
}

/** Makes runners, each with the tools for its session under its lease. */
@Injectable()
export class RunnerFactory {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: OutboxService,
    private readonly platform: Platform,
    private readonly stores: SessionStores,
    private readonly ledger: Ledger,
    private readonly senders: SessionSenders,
    private readonly logins: SessionLogins,
  ) {}

  make(session: Session, fence: Fence, end: RunnerEnd): SessionRunner {
    const { id, tenantId, restrictions, alwaysOnline, sandbox } = session;
    const { dataSource, ledger, logins, platform } = this;
    const scope = { sessionId: id, fence };
    const ends = new StoredStanzaEnds(
      { counts: session.stanzaEnds, isAfterLoss: isAfterLoss(session) },
      (counts) => writeStanzaEnds(dataSource, fence, id, counts),
    );
    const store = this.stores.of({ session: { id, tenantId }, fence, ends });
    const newChats = new NewChats(id, restrictions, dataSource);
    const runner = new SessionRunner(snapshotOf(session), {
      ...{ platform, store, newChats, alwaysOnline },
      sender: this.senders.sender(scope, newChats),
      loginTimeoutMs: logins.timeoutMs,
      logins: logins.gate,
      open: (credentials, listener) => logins.open(id, credentials, store, listener),
      failMessages: (failure) => ledger.fail(scope, null, failure),
      writeStatus: async (change, events) => {
        await writeStatus(dataSource, fence, id, change, events);
        this.outbox.publish(events);
      },
      writeRestrictions: (all) => writeRestrictions(dataSource, fence, id, all),
      // Nobody looks for versions of a sandbox's simulator.
      awaitVersion: (wake) => (sandbox ? undefined : logins.awaitVersion(id, wake)),
      viewedUntil: () => readViewedUntil(dataSource, id),
      onLeaseLost: () => end.leaseLost(runner),
      onEnded: () => end.ended(runner),
    });
    return runner;
  }
}

/** Says whether the session's former owner vanished: one that ends in good order says so. */
function isAfterLoss({ status, statusReason }: Session): boolean {
  const isInUse = isLive(status) || status === 'CONNECTING' || status === 'RECONNECTING';
  return isInUse && statusReason !== 'MAINTENANCE';
}

/** Reads what a runner begins with: a session that another process had wait for long waits on. */
function snapshotOf(session: Session): SessionSnapshot {
  const { id, tenantId, status, phone, statusReason: reason, statusUntil } = session;
  const waits = status === 'RECONNECTING' && isLongWait(reason);
  return {
    id,
    tenantId,
    status,
    phone,
    isMoving: isMoving(session),
    wait: waits ? { reason, until: statusUntil ?? undefined } : undefined,
  };
}
