import type { Person } from '../people/person.js';
import type { Population } from '../people/population.js';

/** Who may leave files with the media host, and when nobody may do anything there. */
export class MediaDoor {
  /** Uploads and downloads are refused with this HTTP status. */
  mediaStatus: number | null = null;
  /** How many more are refused; without a number all of them. */
  mediaCount: number | null = null;

  constructor(private readonly population: Population) {}

  /** What an account is told to show with each upload. */
  tokenOf(person: Person): string {
    return `${person.phone}.${person.derive('media-auth').toString('hex')}`;
  }

  admits(token: string | null): boolean {
    const person = this.population.get(token?.split('.')[0] ?? '');
    return person !== undefined && token === this.tokenOf(person);
  }

  /** The status to refuse the next request with, if it is to be refused. */
  refusal(): number | undefined {
    const status = this.mediaStatus ?? undefined;
    if (status !== undefined && this.mediaCount !== null) this.mediaCount--;
    if (this.mediaCount === 0) this.clear();
    return status;
  }

  clear(): void {
    this.mediaStatus = null;
    this.mediaCount = null;
  }
}
