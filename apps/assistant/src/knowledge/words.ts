const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** Scripts that put no space between words. */
const WITHOUT_SPACES =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const SEGMENTS = new Intl.Segmenter('und', { granularity: 'word' });
/** Longest word that is searched for, in characters: beyond it is none. */
const WORD_MAX = 40;
/** Longest run of such a script that is split into words at a time: the time for it grows faster than the run. */
const RUN_MAX = 500;

/** Lists the different words of a text, of any language, in small letters without accents. */
export function wordsOf(text: string): string[] {
  const words = new Set<string>();
  for (const [run] of text.toWellFormed().toLowerCase().matchAll(WORD)) {
    for (const word of WITHOUT_SPACES.test(run) ? splitRun(run) : [run]) {
      const plain = withoutAccents(word);
      if (plain !== '' && plain.length <= WORD_MAX) words.add(plain);
    }
  }
  return [...words];
}

const splitRun = (run: string): string[] =>
  (run.match(new RegExp(`[\\s\\S]{1,${RUN_MAX}}`, 'gu')) ?? []).flatMap((piece) =>
    [...SEGMENTS.segment(piece)].map(({ segment }) => segment),
  );

const withoutAccents = (word: string): string =>
  word
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .normalize('NFC');
