import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { log } from '@svc/service';
import type { Population } from '../people/population.js';
import { joinQueues, readPerson, writePerson } from './snapshot.js';

const DELAY_MS = 300;
/** The next writing waits so many times as long as the last one took, so that a busy platform spends one part in a hundred on it. */
const IDLE_FACTOR = 100;
const FORMAT = 1;
/** The file holds session secrets. */
const OWNER_ONLY = { mode: 0o600 };

/**
 * This class saves the population in a file: a heading, then a line per person. A person's line is made anew only when that person has
 * changed, so that a busy platform does not write out everything again and again.
 */
export class StateFile {
  private readonly lines = new Map<string, string>();
  private readonly heading: string;
  private timer?: NodeJS.Timeout;
  private tookMs = 0;
  private writing: Promise<void> = Promise.resolve();

  private readonly onChange = (): void => this.schedule();

  constructor(
    private readonly path: string,
    private readonly population: Population,
    trustRoot: string,
  ) {
    this.heading = JSON.stringify({ format: FORMAT, trustRoot });
  }

  /** Reads what an earlier run left, then watches for changes. */
  open(): void {
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
    if (existsSync(this.path)) this.load(readFileSync(this.path, 'utf8'));
    this.population.events.on('changed', this.onChange);
  }

  /** Writes the last changes and stops watching. */
  async close(): Promise<void> {
    this.population.events.off('changed', this.onChange);
    clearTimeout(this.timer);
    await this.writing;
    writeFileSync(this.temporary, this.content(), OWNER_ONLY);
    renameSync(this.temporary, this.path);
  }

  private load(text: string): void {
    const [heading, ...lines] = text.split('\n').filter((line) => line !== '');
    if (heading === undefined) return;
    if (heading !== this.heading) {
      throw new Error(
        `${this.path} was written with another seed or by another version; remove it to start anew`,
      );
    }
    for (const line of lines) readPerson(line, this.population);
    joinQueues(this.population);
  }

  private schedule(): void {
    this.timer ??= setTimeout(
      () => {
        this.timer = undefined;
        this.writing = this.writing.then(() => this.write());
      },
      Math.max(DELAY_MS, IDLE_FACTOR * this.tookMs),
    );
  }

  /** Writes the file beside and renames it, so that a reader never finds half a file. */
  private async write(): Promise<void> {
    try {
      await writeFile(this.temporary, this.content(), OWNER_ONLY);
      await rename(this.temporary, this.path);
    } catch (error) {
      log().error({ reason: (error as Error).message }, 'the state file cannot be written');
    }
  }

  private content(): string {
    const startedAt = performance.now();
    for (const person of this.population.takeDirty()) this.lines.set(person.phone, writePerson(person));
    const people = [...this.population.all()].map((person) => this.lines.get(person.phone) ?? '');
    const content = `${[this.heading, ...people].join('\n')}\n`;
    this.tookMs = performance.now() - startedAt;
    return content;
  }

  private get temporary(): string {
    return `${this.path}.new`;
  }
}
