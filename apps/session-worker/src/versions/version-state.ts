/** Session that tries something for all: others wait for what becomes of it. */
export interface Trial {
  sessionId: string;
  since: number;
}

/** Revision that one session tries before the others use it. */
export interface Candidate {
  revision: number;
  source: string;
  foundAt: number;
  /** Number of tries that failed without a word of the platform about the version. */
  failures: number;
  /** Its last try that failed: the same session tries it once more, so that no other is harmed. */
  failed?: Trial;
  trial: Trial | null;
  /** Time since which the session that tries it is logged in. */
  openedAt: number | null;
}

/** Refusal of the revision that all sessions use. */
export interface Outage {
  revision: number;
  since: number;
  /** Wait between the last try and the next one. */
  waitMs: number;
  nextTryAt: number;
  trial: Trial | null;
}

/** State of what the installation knows of the platform's versions; times are domain time in ms since 1970. */
export interface VersionState {
  /** Revision that sessions log in with, unless the operator has named another one. */
  current: number;
  source: string;
  /** Latest time at which a login with it was accepted. */
  acceptedAt: number | null;
  /** Revision that the operator has named. */
  pinned: number | null;
  candidate: Candidate | null;
  outage: Outage | null;
  /** Candidates that were refused: they are not tried again. */
  refused: number[];
  nextReadAt: number;
  /** Last alert, so that each trouble has one. */
  alert: { revision: number; at: number } | null;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Time for which a session must stay connected with a candidate. */
export const TRIAL_MS = 10 * MINUTE_MS;
/** A session that has not shown by then what comes of a candidate is given up. */
const LONGEST_TRIAL_MS = 30 * MINUTE_MS;
/** A session whose try has failed and that has not come back by then leaves the next one to another. */
const LONGEST_RETURN_MS = 10 * MINUTE_MS;
/** A session that tries a refused revision again has an answer by then, or its process is gone. */
const LONGEST_RETRY_MS = 2 * MINUTE_MS;
const FIRST_RETRY_MS = 15 * MINUTE_MS;
const LONGEST_WAIT_MS = 6 * HOUR_MS;
const MOST_FAILURES = 3;
const MOST_REFUSED = 20;
/** Revisions that the platform makes in some two years; one that is further ahead is not believed. */
const MOST_AHEAD = 50_000_000;

/** Makes the state of an installation that has only the revision of the library. */
export function firstState(builtIn: number): VersionState {
  return {
    current: builtIn,
    source: 'library',
    acceptedAt: null,
    pinned: null,
    candidate: null,
    outage: null,
    refused: [],
    nextReadAt: 0,
    alert: null,
  };
}

/** Applies the revision that this release came with: it may be newer than what was found before. */
export function withBuiltIn(state: VersionState, builtIn: number): VersionState {
  if (builtIn <= state.current) return state;
  const candidate = state.candidate && state.candidate.revision > builtIn ? state.candidate : null;
  return { ...state, current: builtIn, source: 'library', acceptedAt: null, candidate };
}

/** The revision of logins that try nothing. */
export const usualRevision = ({ pinned, current }: VersionState): number => pinned ?? current;

/** The revision of a session's next login. @param refused revision with which its last one was refused. */
export function revisionOf(state: VersionState, sessionId: string, refused: number | undefined): number {
  const usual = usualRevision(state);
  const { candidate } = state;
  if (state.pinned !== null || !candidate) return usual;
  const isTrier = candidate.trial?.sessionId === sessionId;
  // A session that has no revision that works follows as soon as one has logged in.
  const follows = candidate.openedAt !== null && refused === usual;
  return isTrier || follows ? candidate.revision : usual;
}

/** Says whether a revision that a source names may be tried: not below what was used before, and not absurdly far ahead. */
export function isBelievable({ current, refused }: VersionState, revision: number): boolean {
  const ahead = revision - current;
  return Number.isSafeInteger(revision) && ahead > 0 && ahead <= MOST_AHEAD && !refused.includes(revision);
}

/** Chooses among the revisions that sources name: the lowest that may be tried, since a source may be ahead of the platform's other sites. */
export function chosenOf<T extends { revision: number }>(state: VersionState, found: T[]): T | undefined {
  const [lowest] = found
    .filter(({ revision }) => isBelievable(state, revision))
    .sort((one, other) => one.revision - other.revision);
  return lowest ?? found[0];
}

/** Takes what the sources have named; undefined: none had an answer. */
export function afterReading(
  state: VersionState,
  found: { revision: number; source: string } | undefined,
  now: number,
): VersionState {
  const next = { ...state, nextReadAt: now + (found ? DAY_MS : HOUR_MS) };
  if (!found || state.pinned !== null || !isBelievable(state, found.revision)) return next;
  const { candidate } = state;
  if (candidate && (candidate.trial || candidate.revision === found.revision)) return next;
  return { ...next, candidate: { ...found, foundAt: now, failures: 0, trial: null, openedAt: null } };
}

const isFree = (trial: Trial | null, longestMs: number, now: number): boolean =>
  trial === null || now - trial.since >= longestMs;

/** Says whether this session, which works, may try the candidate; sessions that were refused have the first minute. */
export function wantsTrial(state: VersionState, sessionId: string, now: number): boolean {
  const { candidate, outage } = state;
  if (!candidate || !mayTry(state, candidate, sessionId, now)) return false;
  return !outage || now - candidate.foundAt >= MINUTE_MS;
}

function mayTry(
  { pinned, outage }: VersionState,
  { trial, failed }: Candidate,
  sessionId: string,
  now: number,
): boolean {
  if (pinned !== null || !isFree(trial, LONGEST_TRIAL_MS, now)) return false;
  // A session that waits for the end of a refusal has nothing to lose.
  return (
    !failed || outage !== null || failed.sessionId === sessionId || now - failed.since >= LONGEST_RETURN_MS
  );
}

/** Says what a session may do that was refused: log in, be the one that tries, or wait. */
export function turnOf(state: VersionState, refused: number | undefined, now: number): 'go' | 'try' | 'wait' {
  const { outage } = state;
  const usual = usualRevision(state);
  if (outage?.revision !== usual || (refused ?? usual) !== usual) return 'go';
  // An order takes every candidate away.
  if (state.candidate && state.candidate.openedAt !== null) return 'go';
  return isUntried(state.candidate, now) || mayRetry(outage, now) ? 'try' : 'wait';
}

const isUntried = (candidate: Candidate | null, now: number): boolean =>
  candidate !== null && isFree(candidate.trial, LONGEST_TRIAL_MS, now);

const mayRetry = (outage: Outage, now: number): boolean =>
  now >= outage.nextTryAt && isFree(outage.trial, LONGEST_RETRY_MS, now);

/** Makes a session the one that tries: the candidate where there is one, else what was refused once more. */
export function afterClaim(state: VersionState, sessionId: string, now: number): VersionState {
  const { candidate, outage } = state;
  const trial = { sessionId, since: now };
  if (candidate && mayTry(state, candidate, sessionId, now)) {
    // The session that had it before has not said what became of it.
    const tried = candidate.trial ? afterFailure(state, candidate.trial.sessionId, now) : state;
    if (!tried.candidate) return tried;
    return { ...tried, candidate: { ...tried.candidate, trial, openedAt: null } };
  }
  if (outage && mayRetry(outage, now)) return { ...state, outage: { ...outage, trial } };
  return state;
}

/** Notes that a session has logged in with a revision. */
export function afterOpening(
  state: VersionState,
  sessionId: string,
  revision: number,
  now: number,
): VersionState {
  const { candidate, outage } = state;
  if (candidate?.revision === revision) return afterTrialLogin(state, candidate, sessionId, now);
  if (revision !== usualRevision(state)) return state;
  if (outage?.trial?.sessionId === sessionId) return { ...state, outage: null, acceptedAt: now };
  const isKnown = state.acceptedAt !== null && now - state.acceptedAt < HOUR_MS;
  return isKnown ? state : { ...state, acceptedAt: now };
}

function afterTrialLogin(
  state: VersionState,
  candidate: Candidate,
  sessionId: string,
  now: number,
): VersionState {
  if (candidate.trial?.sessionId !== sessionId || candidate.openedAt !== null) return state;
  return { ...state, candidate: { ...candidate, openedAt: now } };
}

/** Notes that the session that tries the candidate has stayed: all use it from now on. */
export function afterTrial(state: VersionState, sessionId: string, now: number): VersionState {
  const { candidate } = state;
  if (candidate?.trial?.sessionId !== sessionId || candidate.openedAt === null) return state;
  if (now - candidate.openedAt < TRIAL_MS) return state;
  const { revision: current, source } = candidate;
  return { ...state, current, source, acceptedAt: now, candidate: null, outage: null };
}

/** Notes that the platform has refused the login of a session for its version. */
export function afterRefusal(
  state: VersionState,
  sessionId: string,
  revision: number,
  now: number,
): VersionState {
  if (revision === state.candidate?.revision) return withoutCandidate(state);
  if (revision !== usualRevision(state)) return state;
  const { outage, alert } = state;
  if (outage?.revision === revision) return afterRetry(state, outage, sessionId, now);
  const isNews = alert?.revision !== revision || now - alert.at >= LONGEST_WAIT_MS;
  return {
    ...state,
    outage: { revision, since: now, waitMs: FIRST_RETRY_MS, nextTryAt: now + FIRST_RETRY_MS, trial: null },
    nextReadAt: now,
    alert: isNews ? { revision, at: now } : alert,
  };
}

/** Notes that one more login was refused: when it was the one that tried, the next wait is twice as long. */
function afterRetry(state: VersionState, outage: Outage, sessionId: string, now: number): VersionState {
  if (outage.trial?.sessionId !== sessionId) return state;
  const waitMs = Math.min(2 * outage.waitMs, LONGEST_WAIT_MS);
  return { ...state, outage: { ...outage, waitMs, nextTryAt: now + waitMs, trial: null }, nextReadAt: now };
}

/** Ends a refusal for which nobody has tried again long after it was time: all who were refused are gone. */
export function afterSilence(state: VersionState, now: number): VersionState {
  const { outage } = state;
  return outage && now - outage.nextTryAt >= LONGEST_WAIT_MS ? { ...state, outage: null } : state;
}

/** Notes that the connection of the session that tries the candidate did not work; nobody knows whether the version is why. */
export function afterFailure(state: VersionState, sessionId: string, now: number): VersionState {
  const { candidate } = state;
  if (candidate?.trial?.sessionId !== sessionId) return state;
  const failures = candidate.failures + 1;
  if (failures >= MOST_FAILURES) return withoutCandidate(state);
  const failed = { sessionId, since: now };
  return { ...state, candidate: { ...candidate, failures, failed, trial: null, openedAt: null } };
}

/** Notes that the connection of the session that tries the candidate has ended as connections do: its time begins anew. */
export function afterEnd(state: VersionState, sessionId: string): VersionState {
  const { candidate } = state;
  if (candidate?.trial?.sessionId !== sessionId || candidate.openedAt === null) return state;
  return { ...state, candidate: { ...candidate, openedAt: null } };
}

function withoutCandidate(state: VersionState): VersionState {
  if (!state.candidate) return state;
  const refused = [...state.refused, state.candidate.revision].slice(-MOST_REFUSED);
  return { ...state, candidate: null, refused };
}

/** Takes the order of the operator, who names a revision, or null: the sources shall. What they name never goes below what was accepted. */
export function afterOrder(state: VersionState, revision: number | null, now: number): VersionState {
  const { pinned, acceptedAt, current } = state;
  const cleared = { ...state, candidate: null, outage: null, acceptedAt: null };
  if (revision !== null) return { ...cleared, pinned: revision };
  const hasProved = pinned !== null && acceptedAt !== null && pinned > current;
  const kept = hasProved ? { current: pinned, source: 'operator', acceptedAt } : {};
  return { ...cleared, ...kept, pinned: null, nextReadAt: now };
}
