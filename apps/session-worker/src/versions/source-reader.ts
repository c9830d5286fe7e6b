import { log } from '@svc/service';
import { readSources } from './version-sources.js';
import { afterReading, chosenOf, isBelievable, type VersionState } from './version-state.js';
import type { StateNow, VersionStore } from './version-store.js';

/** A worker that has begun to read and does not end leaves it to another one. */
const READING_MS = 60_000;

/** Reads the sources for all workers: whoever finds that it is time takes the turn, and the others find that it is not. */
export class SourceReader {
  constructor(
    private readonly store: VersionStore,
    private readonly sources: readonly string[],
  ) {}

  /** Reads the sources where that is due. @returns what is known now */
  async readIfDue(known: StateNow): Promise<StateNow> {
    if (!isDue(known.state, known.now)) return known;
    const turn = await this.store.change((state, now) =>
      isDue(state, now) ? { ...state, nextReadAt: now + READING_MS } : state,
    );
    if (turn.state === turn.before) return turn;
    const readings = await readSources(this.sources);
    const after = await this.store.change((state, now) => {
      const found = readings.flatMap((one) => ('revision' in one ? [one] : []));
      return afterReading(state, chosenOf(state, found), now);
    });
    for (const reading of readings) {
      if ('problem' in reading) log().warn(reading, 'platform version cannot be read');
      else if (reading.revision > after.before.current && !isBelievable(after.before, reading.revision))
        log().warn(reading, 'platform version not believed');
    }
    const { candidate } = after.state;
    if (candidate && candidate !== after.before.candidate)
      log().info({ revision: candidate.revision, source: candidate.source }, 'platform version found');
    return after;
  }
}

const isDue = ({ pinned, nextReadAt }: VersionState, now: number): boolean =>
  pinned === null && now >= nextReadAt;
