import type { StatusReason } from '@svc/contracts';
import { counter, gauge, log } from '@svc/service';
import type { PlatformListener, SocketClose } from '../platform/port.js';
import type { SourceReader } from './source-reader.js';
import {
  afterClaim,
  afterEnd,
  afterFailure,
  afterOpening,
  afterRefusal,
  afterSilence,
  afterTrial,
  revisionOf,
  turnOf,
  usualRevision,
  type VersionState,
  wantsTrial,
} from './version-state.js';
import type { StateNow, VersionStore } from './version-store.js';

/** Ends that say nothing of the version: the way to the platform was shut, or broke. */
const ORDINARY: ReadonlySet<StatusReason> = new Set([
  'RESTART_REQUIRED',
  'CONNECTION_LOST',
  'CONNECTION_REFUSED',
  'PROXY_FAILED',
]);

const refusals = counter(
  'platform_version_refusals_total',
  'Logins that the platform refused for the version of the client.',
);
const outdated = gauge(
  'platform_client_outdated',
  '1 while the platform refuses the version that all sessions use; the same in all workers.',
);
const revisionInUse = gauge('platform_client_revision', 'Revision of the client that all sessions use.');

/** Session whose login was refused for its version. */
interface RefusedLogin {
  revision: number | undefined;
  /** Lets it log in again; absent while it does. */
  wake?: (() => void) | undefined;
}

/** Sessions of this process, as far as their versions are looked at. */
interface SessionsHere {
  isRunning(sessionId: string): boolean;
  isConnected(sessionId: string): boolean;
}

/**
 * Says with which version the sessions of this process log in, and notes what the platform makes of it. What is known lies in a row that all workers share: one
 * of them reads the sources, one session tries what they name, and one tries again what was refused.
 */
export class PlatformVersions {
  private known: StateNow | undefined;
  /** Sessions that run here and were refused, in the order in which they have tried. */
  private readonly refused = new Map<string, RefusedLogin>();

  constructor(
    private readonly store: VersionStore,
    private readonly sources: SourceReader,
  ) {}

  /** Names the revision for the next login of a session; where the database has no answer, the last one that is known. */
  async revisionFor(sessionId: string): Promise<number> {
    await this.refresh().catch((error: unknown) => log().warn({ err: error }, 'platform version not read'));
    if (!this.known) return this.store.usual;
    return revisionOf(this.known.state, sessionId, this.refused.get(sessionId)?.revision);
  }

  /** Makes the listener of a login with this revision, which notes how it goes. */
  watching(sessionId: string, revision: number, listener: PlatformListener): PlatformListener {
    const note = (what: () => Promise<unknown>): void =>
      void what().catch((error: unknown) =>
        log().warn({ sessionId, err: error }, 'platform version not noted'),
      );
    return {
      ...listener,
      onQr: (...qr) => {
        note(() => this.opened(sessionId, revision));
        listener.onQr(...qr);
      },
      onOpen: (phone) => {
        note(() => this.opened(sessionId, revision));
        listener.onOpen(phone);
      },
      onClose: (close) => {
        if (close.reason === 'CLIENT_OUTDATED') {
          // The session comes back with the revision that follows from this note.
          note(async () => listener.onClose(await this.refusedClose(sessionId, revision, close)));
          return;
        }
        note(() => this.ended(sessionId, revision, close));
        listener.onClose(close);
      },
    };
  }

  /** Lets a session wait that was refused; `wake` is called when it may log in. @returns ends the wait */
  wait(sessionId: string, wake: () => void): () => void {
    const { revision } = this.refused.get(sessionId) ?? { revision: this.known?.state.outage?.revision };
    this.refused.delete(sessionId);
    this.refused.set(sessionId, { revision, wake });
    return () => {
      const entry = this.refused.get(sessionId);
      if (entry?.wake === wake) entry.wake = undefined;
    };
  }

  /** Does what has become due: forgets sessions that do not run here, reads the sources, ends a try that has lasted, wakes sessions. */
  async check({ isRunning, isConnected }: SessionsHere): Promise<void> {
    for (const sessionId of this.refused.keys()) if (!isRunning(sessionId)) this.refused.delete(sessionId);
    await this.refresh();
    this.keep(await this.sources.readIfDue(this.known as StateNow));
    await this.endSilence();
    await this.endTrial(isConnected);
    for (const [sessionId, { wake }] of [...this.refused]) {
      if (wake && (await this.mayLogIn(sessionId))) this.wake(sessionId, wake);
    }
  }

  /** Says whether the candidate needs this session, which works, to try it. */
  wantsTrial(sessionId: string): boolean {
    return this.known !== undefined && wantsTrial(this.known.state, sessionId, this.known.now);
  }

  /** Makes a session the one that tries; false where another one was first. */
  async claim(sessionId: string): Promise<boolean> {
    const { state } = await this.change((before, now) => afterClaim(before, sessionId, now));
    return state.candidate?.trial?.sessionId === sessionId || state.outage?.trial?.sessionId === sessionId;
  }

  private async mayLogIn(sessionId: string): Promise<boolean> {
    const { state, now } = this.known as StateNow;
    const entry = this.refused.get(sessionId);
    // A session that waited in another process was refused with what all use.
    if (entry) entry.revision ??= state.outage?.revision;
    const turn = turnOf(state, entry?.revision, now);
    return turn === 'go' || (turn === 'try' && (await this.claim(sessionId)));
  }

  private wake(sessionId: string, wake: () => void): void {
    const entry = this.refused.get(sessionId);
    if (entry?.wake !== wake) return;
    entry.wake = undefined;
    wake();
  }

  private async opened(sessionId: string, revision: number): Promise<void> {
    this.refused.delete(sessionId);
    const step = (state: VersionState, now: number): VersionState =>
      afterOpening(state, sessionId, revision, now);
    // Each login would otherwise lock the row of all.
    if (this.known && step(this.known.state, this.known.now) === this.known.state) return;
    await this.change(step);
  }

  private async ended(sessionId: string, revision: number, { reason }: SocketClose): Promise<void> {
    const { candidate } = this.known?.state ?? {};
    if (candidate?.revision !== revision || candidate.trial?.sessionId !== sessionId) return;
    const isOrdinary = ORDINARY.has(reason);
    const { before, state } = await this.change((known, now) =>
      isOrdinary ? afterEnd(known, sessionId) : afterFailure(known, sessionId, now),
    );
    if (before.candidate && !state.candidate)
      log().warn({ revision, reason }, 'platform version not adopted');
  }

  /** Notes a refusal; one of the candidate is no trouble of the session, which goes back to what it had. */
  private async refusedClose(sessionId: string, revision: number, close: SocketClose): Promise<SocketClose> {
    this.refused.set(sessionId, { revision });
    refusals.add();
    try {
      const { before, state } = await this.change((known, now) =>
        afterRefusal(known, sessionId, revision, now),
      );
      if (state.alert && state.alert.at !== before.alert?.at) {
        log().error(
          { revision },
          'the platform refuses the version of the client: sessions wait for another one',
        );
      }
      if (revision === usualRevision(state)) return close;
      log().warn({ revision }, 'platform version refused while it was tried');
      return { ...close, next: 'again', reason: 'RESTART_REQUIRED' };
    } catch (error) {
      log().warn({ sessionId, err: error }, 'platform version not noted');
      return close;
    }
  }

  private async endSilence(): Promise<void> {
    const { state, now } = this.known as StateNow;
    if (afterSilence(state, now) !== state) await this.change(afterSilence);
  }

  private async endTrial(isConnected: (sessionId: string) => boolean): Promise<void> {
    const { state, now } = this.known as StateNow;
    const sessionId = state.candidate?.trial?.sessionId;
    if (!sessionId || !isConnected(sessionId) || afterTrial(state, sessionId, now) === state) return;
    const { state: after } = await this.change((known, at) => afterTrial(known, sessionId, at));
    log().info({ revision: after.current, source: after.source }, 'platform version adopted');
  }

  private async refresh(): Promise<void> {
    this.keep(await this.store.read());
  }

  private async change(
    step: (state: VersionState, now: number) => VersionState,
  ): Promise<StateNow & { before: VersionState }> {
    const changed = await this.store.change(step);
    this.keep(changed);
    return changed;
  }

  private keep(known: StateNow): void {
    this.known = known;
    outdated.set(known.state.outage ? 1 : 0);
    revisionInUse.set(usualRevision(known.state));
  }
}
