import { randomUUID } from 'node:crypto';
import type { Actor } from '../../stack/actor.js';
import type { Stack } from '../../stack/stack.js';
import type { Telling } from './worker-words.js';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
/** Revisions beyond this one are newer than the library's. */
const FIRST_REVISION = 1_044_000_000;
const REVISIONS = 1_000_000;

/** A change of the platform that nobody has heard of before. */
export interface Change {
  name: string;
  /** Most sessions that may connect anew for it. */
  mostHarmed: number;
  /** Begins it; returns how it is told. */
  begin(stack: Stack, actors: readonly Actor[], random: () => number): Promise<Telling>;
  /** Says whether nothing more comes of it. */
  isOver(stack: Stack): Promise<boolean>;
}

/** The operator's view of the version of the client. */
interface VersionView {
  revision: number;
  candidate: object | null;
  refused: number[];
}

/** Invents a word. */
const word = (random: () => number): string =>
  Array.from({ length: 8 }, () => LETTERS[Math.floor(random() * LETTERS.length)]).join('');

/**
 * Has the platform name a revision that nobody has used yet, with these rules for it, and the operator order the sources to be read.
 * @returns the revision
 */
async function nameRevision(
  stack: Stack,
  random: () => number,
  rulesFor: (revision: number) => object,
): Promise<number> {
  const { refused } = await stack.operator<VersionView>('platform-version', 'show');
  // A revision that was refused before is not tried again.
  const above = Math.max(FIRST_REVISION, ...refused);
  const revision = above + 1 + Math.floor(random() * REVISIONS);
  const named = { swRevision: revision, pageRevision: revision };
  await stack.platform('PUT', '/versions', { ...named, ...rulesFor(revision) });
  await stack.operator('platform-version', 'auto');
  return revision;
}

/** Says whether the revision that was named last has been given up. */
async function isGivenUp(stack: Stack): Promise<boolean> {
  const { swRevision } = await stack.platform<{ swRevision: number }>('GET', '/versions');
  const { candidate, refused } = await stack.operator<VersionView>('platform-version', 'show');
  return candidate === null && refused.includes(swRevision);
}

/** List of the changes that are played. */
export const CHANGES: readonly Change[] = [
  {
    name: 'unknown notification',
    mostHarmed: 0,
    async begin(stack, actors, random) {
      const name = word(random);
      for (const { phone } of actors) {
        const attrs = { type: name, id: randomUUID(), from: 's.whatsapp.net', t: '1790000000' };
        const stanza = { tag: 'notification', attrs, content: [{ tag: word(random) }] };
        await stack.platform('POST', `/accounts/${phone}/stanzas`, { stanza, keep: true });
      }
      return {
        line: new RegExp(`"stanza":"notification ${name}"`),
        figure: `platform_unknown_stanzas_total{name="notification ${name}",`,
      };
    },
    async isOver(stack) {
      const { items } = await stack.platform<{ items: { devices: { queued: number }[] }[] }>(
        'GET',
        '/accounts',
      );
      return items.every(({ devices }) => devices.every(({ queued }) => queued === 0));
    },
  },
  {
    name: 'version named and refused',
    mostHarmed: 1,
    async begin(stack, _actors, random) {
      const revision = await nameRevision(stack, random, (one) => ({ refusedRevisions: [one] }));
      return {
        line: new RegExp(`"revision":${revision}[^\\n]*platform version refused while it was tried`),
        figure: 'platform_version_refusals_total',
      };
    },
    isOver: isGivenUp,
  },
  {
    name: 'login changed for a version',
    mostHarmed: 1,
    async begin(stack, _actors, random) {
      await nameRevision(stack, random, (one) => ({ changedLogins: [one] }));
      return {
        line: /"stanza":"success_v2"/,
        figure: 'platform_unknown_stanzas_total{name="success_v2",',
      };
    },
    isOver: isGivenUp,
  },
];
