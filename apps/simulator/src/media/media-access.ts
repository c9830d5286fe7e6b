import type { Person } from '../people/person.js';
import type { Population } from '../people/population.js';

/** This class decides which clients may upload files to the media host, and which requests are refused on demand. */
export class MediaAccess {
  /** HTTP status with which uploads and downloads are refused. */
  mediaStatus: number | null = null;
  /** Number of requests that are still refused; without it all of them. */
  mediaCount: number | null = null;

  constructor(private readonly population: Population) {}

  /** Makes the token that an account has to show with each upload. */
  tokenOf(person: Person): string {
    return `${person.phone}.${person.derive('media-auth').toString('hex')}`;
  }

  admits(token: string | null): boolean {
    const person = this.population.get(token?.split('.')[0] ?? '');
    return person !== undefined && token === this.tokenOf(person);
  }

  /** Decides about the next request: the status to refuse it with, if it is to be refused. */
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
