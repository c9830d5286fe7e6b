import { describe, expect, test } from '@jest/globals';
import {
  afterClaim,
  afterEnd,
  afterFailure,
  afterOpening,
  afterOrder,
  afterReading,
  afterRefusal,
  afterSilence,
  afterTrial,
  chosenOf,
  firstState,
  isBelievable,
  revisionOf,
  turnOf,
  usualRevision,
  type VersionState,
  wantsTrial,
  withBuiltIn,
} from './version-state.js';

const OLD = 1_043_857_760;
const NEW = 1_047_769_893;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const T = 1_800_000_000_000;

const found = (revision: number, state = firstState(OLD), now = T): VersionState =>
  afterReading(state, { revision, source: 'page' }, now);
/** A candidate that the session `canary` tries since T. */
const tried = (): VersionState => afterClaim(found(NEW), 'canary', T);
const refusedOld = (state = firstState(OLD), sessionId = 'one', now = T): VersionState =>
  afterRefusal(state, sessionId, OLD, now);

describe('what a source names is believed', () => {
  test.each([
    ['newer', NEW, true],
    ['that which is used', OLD, false],
    ['older', OLD - 1, false],
    ['absurdly high', 9_999_999_999, false],
    ['too far ahead', OLD + 50_000_001, false],
    ['no number', NaN, false],
  ])('or not: %s', (_what, revision, believed) => {
    expect(isBelievable(firstState(OLD), revision)).toBe(believed);
    expect(found(revision).candidate?.revision).toBe(believed ? revision : undefined);
  });

  test('at its lowest where two sources differ, and one without sense counts for nothing', () => {
    const named = (...revisions: number[]) =>
      chosenOf(
        firstState(OLD),
        revisions.map((revision) => ({ revision })),
      )?.revision;
    expect([named(NEW + 5, NEW), named(OLD - 1, NEW), named(9_999_999_999, NEW), named(OLD)]).toEqual([
      ...[NEW, NEW, NEW, OLD],
    ]);
  });

  test('once a day, and an hour later where no source answers', () => {
    expect(found(NEW).nextReadAt).toBe(T + 24 * HOUR);
    expect(afterReading(firstState(OLD), undefined, T).nextReadAt).toBe(T + HOUR);
  });
});

describe('a candidate', () => {
  test('is named by the one session that tries it, and by no other', () => {
    expect([revisionOf(tried(), 'canary', undefined), revisionOf(tried(), 'other', undefined)]).toEqual([
      NEW,
      OLD,
    ]);
    expect(wantsTrial(found(NEW), 'canary', T)).toBe(true);
    expect(wantsTrial(tried(), 'other', T)).toBe(false);
  });

  test('is adopted when that session has been connected for ten minutes', () => {
    const opened = afterOpening(tried(), 'canary', NEW, T + MINUTE);
    expect(afterTrial(opened, 'canary', T + 11 * MINUTE - 1)).toBe(opened);
    expect(afterTrial(opened, 'canary', T + 11 * MINUTE)).toMatchObject({ current: NEW, candidate: null });
  });

  test('whose session loses its connection begins its ten minutes anew', () => {
    const again = afterEnd(afterOpening(tried(), 'canary', NEW, T), 'canary');
    expect(afterTrial(again, 'canary', T + HOUR)).toBe(again);
    const reopened = afterOpening(again, 'canary', NEW, T + 5 * MINUTE);
    expect(afterTrial(reopened, 'canary', T + 15 * MINUTE).current).toBe(NEW);
  });

  test('that the platform refuses is rolled back, and not tried again when it is named again', () => {
    const rolledBack = afterRefusal(tried(), 'canary', NEW, T);
    expect(rolledBack).toMatchObject({ current: OLD, candidate: null, refused: [NEW], outage: null });
    expect(revisionOf(rolledBack, 'canary', NEW)).toBe(OLD);
    expect(found(NEW, rolledBack).candidate).toBeNull();
    expect(found(NEW + 1, rolledBack).candidate?.revision).toBe(NEW + 1);
  });

  test('that does not work in three tries of one session is given up, and no other session is harmed', () => {
    let state = found(NEW);
    for (const failures of [1, 2, 3]) {
      state = afterFailure(afterClaim(state, 'canary', T), 'canary', T);
      expect(state.candidate?.failures).toBe(failures < 3 ? failures : undefined);
      expect(wantsTrial(state, 'other', T + MINUTE)).toBe(false);
      expect(wantsTrial(state, 'canary', T + MINUTE)).toBe(failures < 3);
    }
    expect(state).toMatchObject({ candidate: null, refused: [NEW], current: OLD });
  });

  test('whose session does not come back from a try is tried by another one ten minutes later', () => {
    const failed = afterFailure(tried(), 'canary', T);
    expect(afterClaim(failed, 'other', T + 10 * MINUTE - 1)).toBe(failed);
    expect(afterClaim(failed, 'other', T + 10 * MINUTE)).toMatchObject({
      candidate: { trial: { sessionId: 'other' }, failures: 1 },
    });
  });

  test('whose session does not tell within half an hour is tried by another one', () => {
    expect(afterClaim(tried(), 'other', T + 29 * MINUTE)).toMatchObject({
      candidate: { trial: { sessionId: 'canary' } },
    });
    expect(afterClaim(tried(), 'other', T + 30 * MINUTE)).toMatchObject({
      candidate: { trial: { sessionId: 'other' }, failures: 1 },
    });
  });
});

describe('a refusal of the revision that all use', () => {
  test('has the sources read at once, and one alert for the installation', () => {
    const first = refusedOld();
    expect(first).toMatchObject({
      nextReadAt: T,
      alert: { revision: OLD, at: T },
      outage: { revision: OLD },
    });
    expect(refusedOld(first, 'two', T + MINUTE)).toBe(first);
  });

  test('has one session try again after 15 minutes, and then after twice as long, up to six hours', () => {
    let [state, now] = [refusedOld(), T];
    const waits: number[] = [];
    for (let n = 0; n < 7; n++) {
      const { nextTryAt } = state.outage as { nextTryAt: number };
      waits.push((nextTryAt - now) / MINUTE);
      expect(turnOf(state, OLD, nextTryAt - 1)).toBe('wait');
      expect(turnOf(state, OLD, nextTryAt)).toBe('try');
      now = nextTryAt;
      state = afterClaim(state, 'one', now);
      expect(turnOf(state, OLD, now)).toBe('wait');
      state = refusedOld(state, 'one', now);
    }
    expect(waits).toEqual([15, 30, 60, 120, 240, 360, 360]);
    expect(state.nextReadAt).toBe(now);
  });

  test('is over for all when the one that tries is let in', () => {
    const due = T + 15 * MINUTE;
    const over = afterOpening(afterClaim(refusedOld(), 'one', due), 'one', OLD, due);
    expect(over.outage).toBeNull();
    expect(turnOf(over, OLD, due)).toBe('go');
  });

  test('lets each that waits try what is newer: none has anything that works', () => {
    const failed = afterFailure(afterClaim(found(NEW, refusedOld()), 'one', T), 'one', T);
    expect(afterClaim(failed, 'two', T)).toMatchObject({ candidate: { trial: { sessionId: 'two' } } });
  });

  test('is not over when another account is let in', () => {
    expect(afterOpening(refusedOld(), 'two', OLD, T).outage).not.toBeNull();
  });

  test('has one session try what is newer at once; the refused ones follow when it is in, those that work after ten minutes', () => {
    const newer = found(NEW, refusedOld());
    expect(turnOf(newer, OLD, T)).toBe('try');
    expect(wantsTrial(newer, 'two', T)).toBe(false);
    const trying = afterClaim(newer, 'one', T);
    expect(turnOf(trying, OLD, T)).toBe('wait');
    const opened = afterOpening(trying, 'one', NEW, T);
    expect(turnOf(opened, OLD, T)).toBe('go');
    expect([revisionOf(opened, 'two', OLD), revisionOf(opened, 'three', undefined)]).toEqual([NEW, OLD]);
    expect(afterTrial(opened, 'one', T + 10 * MINUTE)).toMatchObject({ current: NEW, outage: null });
  });

  test('is over six hours after it was time to try again, where nobody does', () => {
    const due = T + 15 * MINUTE;
    const refused = refusedOld();
    expect(afterSilence(refused, due + 6 * HOUR - 1)).toBe(refused);
    expect(afterSilence(refused, due + 6 * HOUR).outage).toBeNull();
    const tried = refusedOld(afterClaim(refused, 'one', due), 'one', due);
    expect(afterSilence(tried, due + 6 * HOUR)).toBe(tried);
  });

  test('of the next days has an alert of its own', () => {
    const over = { ...refusedOld(), outage: null };
    expect(refusedOld(over, 'one', T + HOUR).alert?.at).toBe(T);
    expect(refusedOld(over, 'one', T + 6 * HOUR).alert?.at).toBe(T + 6 * HOUR);
  });
});

describe('the operator', () => {
  test('names a revision, also a lower one, and ends the wait of those that were refused', () => {
    const pinned = afterOrder(refusedOld(), OLD - 1_000, T);
    expect([usualRevision(pinned), turnOf(pinned, OLD, T)]).toEqual([OLD - 1_000, 'go']);
    expect(afterClaim(found(NEW, pinned), 'one', T).candidate?.trial ?? null).toBeNull();
  });

  test('leaves it to the sources again, which are read at once and go on from what was accepted', () => {
    const proved = afterOpening(afterOrder(firstState(OLD), NEW, T), 'one', NEW, T);
    expect(afterOrder(proved, null, T)).toMatchObject({ pinned: null, current: NEW, nextReadAt: T });
    const unproved = afterOrder(firstState(OLD), NEW, T);
    expect(afterOrder(unproved, null, T)).toMatchObject({ pinned: null, current: OLD });
  });
});

test('a release brings its own revision, and an older one takes nothing back', () => {
  const adopted = { ...firstState(OLD), current: NEW };
  expect(withBuiltIn(adopted, OLD).current).toBe(NEW);
  expect(withBuiltIn(adopted, NEW + 1)).toMatchObject({ current: NEW + 1, source: 'library' });
});
