import { createHash } from 'node:crypto';
import type { HandshakeResult } from '../noise/handshake.js';
import type { Person } from '../people/person.js';

/** Revision that the sources name unless told otherwise: that of the client library of this release. */
export const LATEST_REVISION = 1_043_857_760;

/** Answers of a source. `garbage`: a page without a revision. `endless`: one that does not end. `hanging`: none. */
export const SOURCE_ANSWERS = ['auto', 'garbage', 'endless', 'hanging'] as const;
export type SourceAnswer = (typeof SOURCE_ANSWERS)[number];

/** Rules of the platform about the versions of its clients: which is the latest, and which are taken. */
export interface VersionRules {
  /** Revisions that the two sources name. */
  swRevision: number;
  pageRevision: number;
  swAnswer: SourceAnswer;
  pageAnswer: SourceAnswer;
  /** Lowest revision that may log in or ask for a link; null: any. */
  loginFloor: number | null;
  /** Lowest revision that a phone links; null: any. */
  linkingFloor: number | null;
  /** Revisions that may not log in though they are above the floor. */
  refusedRevisions: number[];
  /** Revisions whose logins are answered by what no client knows. */
  changedLogins: number[];
  /** Part of the accounts that the floors concern, from 0 to 1: always the same ones, and more of them as it grows. */
  share: number;
  /** Site of the platform that refuses. */
  location: string;
}

const noRules = (): VersionRules => ({
  swRevision: LATEST_REVISION,
  pageRevision: LATEST_REVISION,
  swAnswer: 'auto',
  pageAnswer: 'auto',
  loginFloor: null,
  linkingFloor: null,
  refusedRevisions: [],
  changedLogins: [],
  share: 1,
  location: 'frc',
});

/** This class decides which versions of clients are taken. */
export class Versions {
  readonly rules = noRules();
  /** Number of requests to the sources, so that a test sees how often they were read. */
  readonly reads = { sw: 0, page: 0 };

  /** Says whether the login of an account is refused for the version of its client. */
  refusesLogin({ phone, faults }: Person, handshake: HandshakeResult): boolean {
    const revision = revisionOf(handshake);
    if (this.rules.refusedRevisions.includes(revision)) return true;
    if (faults.loginFloor !== null) return revision < faults.loginFloor;
    return this.isBelow(this.rules.loginFloor, revision, phone);
  }

  /** Says whether the login of a client is answered by what it does not know. */
  changesLogin(handshake: HandshakeResult): boolean {
    return this.rules.changedLogins.includes(revisionOf(handshake));
  }

  /** Says whether a client that asks for a link is refused; nobody knows its account yet, so its key stands for it. */
  refusesRegistration(handshake: HandshakeResult): boolean {
    const name = handshake.noiseKey.toString('hex');
    return this.isBelow(this.rules.loginFloor, revisionOf(handshake), name);
  }

  /** Says whether the phone of an account does not link a client of this revision: it tells its owner, and the client hears nothing. */
  refusesLink({ phone }: Person, revision: number): boolean {
    return this.isBelow(this.rules.linkingFloor, revision, phone);
  }

  clear(): void {
    Object.assign(this.rules, noRules());
    Object.assign(this.reads, { sw: 0, page: 0 });
  }

  private isBelow(floor: number | null, revision: number, name: string): boolean {
    return floor !== null && revision < floor && placeOf(name) < this.rules.share;
  }
}

/** Reads the last part of the version that a client names. */
export const revisionOf = ({ payload }: HandshakeResult): number =>
  payload.userAgent?.appVersion?.tertiary ?? 0;

/** Gives a name its place among all, from 0 to 1. */
const placeOf = (name: string): number =>
  createHash('sha256').update(name).digest().readUInt32BE(0) / 2 ** 32;
