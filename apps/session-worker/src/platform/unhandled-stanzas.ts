import { counter, log } from '@svc/service';

/** Structure of a stanza: names and sizes, and nothing that it says. */
export interface Shape {
  tag: string;
  /** Length of each attribute, by its name. */
  attrs: Record<string, number>;
  /** Number of bytes or characters, or what is inside. */
  content?: number | Shape[];
}

/** A stanza that nobody handled. */
export interface UnhandledStanza {
  name: string;
  at: string;
  shape: Shape;
}

/** Names that are counted by themselves; the platform must not fill the memory of whoever counts. */
const MOST_NAMES = 200;
/** Those of them with the same first word: what strangers write must not crowd out what the platform says. */
const MOST_OF_A_WORD = 100;
/** Last word of the name of all that come later. */
const OTHERS = 'other';
const MOST_SHAPES = 20;

const stanzas = counter(
  'platform_unknown_stanzas_total',
  'Stanzas and contents of the platform that nobody handles, by name; known: whether docs/platform-protocol.md has them.',
);

/** Counts what the platform sends and nobody handles, for all sessions of this process. */
export class UnhandledStanzas {
  private readonly names = new Set<string>();
  private readonly latest: UnhandledStanza[] = [];

  /** Counts one that is known. The first of its name in this process is a line of the log. */
  countKnown(name: string): void {
    if (this.count(name, 'yes')) log().info({ stanza: name }, 'nobody handles such a stanza, which is known');
  }

  /** Counts one that no table has, and keeps its structure. The first of its name in this process is a warning. */
  countNew(name: string, shape: Shape): void {
    this.latest.push({ name, at: new Date().toISOString(), shape });
    if (this.latest.length > MOST_SHAPES) this.latest.shift();
    if (this.count(name, 'no'))
      log().warn({ stanza: name, shape }, 'the platform has sent what nobody knows');
  }

  /** Lists the last that no table has, oldest first. */
  shapes(): UnhandledStanza[] {
    return [...this.latest];
  }

  /** Counts a name, or all together where there are too many; says whether it is a new one. */
  private count(name: string, known: 'yes' | 'no'): boolean {
    const isNew = !this.names.has(name);
    const crowd = isNew ? this.crowdOf(name) : undefined;
    stanzas.add({ name: crowd ?? name, known });
    if (isNew && crowd === undefined) this.names.add(name);
    return isNew && crowd === undefined;
  }

  /** Names all those with which a new name is counted; undefined while there is room for it. */
  private crowdOf(name: string): string | undefined {
    if (this.names.size >= MOST_NAMES) return OTHERS;
    const [word = ''] = name.split(' ');
    const alike = [...this.names].filter((one) => one.split(' ')[0] === word);
    return alike.length >= MOST_OF_A_WORD ? `${word} ${OTHERS}` : undefined;
  }
}

/** Those of this process. */
export const unhandledStanzas = new UnhandledStanzas();
