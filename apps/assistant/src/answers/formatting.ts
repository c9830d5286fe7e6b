/** Longest part of an answer, in characters: what a phone shows without "read more" many times over. */
const PART_MAX = 4_000;
const MOST_PARTS = 3;

/**
 * Writes markdown, in which models answer, in the signs of the platform: bold between asterisks, italics between underscores, struck between tildes. Code
 * stays as it is.
 */
export function platformText(markdown: string): string {
  // Odd pieces are code.
  const pieces = markdown.split(/(```[\s\S]*?```|`[^`\n]+`)/);
  return pieces
    .map((piece, index) => (index % 2 === 1 ? piece : proseOf(piece)))
    .join('')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** Bold is put in place by this sign first, so that it is not taken for italics. */
const BOLD = '\u0001';

function proseOf(markdown: string): string {
  return markdown
    .replaceAll(BOLD, '')
    .replace(
      /^ {0,3}#{1,6} +(.+?) *#*$/gm,
      (_, title: string) => `${BOLD}${title.replace(/\*\*|__/g, '')}${BOLD}`,
    )
    .replace(
      /!?\[([^[\]\n]{0,300})\]\(<?([^)\s>]{1,2000})>?(?: "[^"\n]{0,300}")?\)/g,
      (_, label: string, url: string) => (label === '' || label === url ? url : `${label}: ${url}`),
    )
    .replace(/\*\*\*(\S(?:[^\n]{0,500}?\S)?)\*\*\*/g, `${BOLD}_$1_${BOLD}`)
    .replace(/(\*\*|__)(\S(?:[^\n]{0,500}?\S)?)\1/g, `${BOLD}$2${BOLD}`)
    .replace(/^(\s*)[*+] +/gm, '$1- ')
    .replace(/(^|[^\p{L}\p{N}*])\*(\S(?:[^*\n]{0,500}?\S)?)\*(?![\p{L}\p{N}*])/gu, '$1_$2_')
    .replace(/~~(\S(?:[^\n]{0,500}?\S)?)~~/g, '~$1~')
    .replace(/^ {0,3}(?:[-*_] *){3,}$/gm, '')
    .replaceAll(BOLD, '*');
}

/**
 * Makes the messages of an answer.
 * @param split whether paragraphs become messages of their own, three at most.
 */
export function partsOf(text: string, split: boolean): string[] {
  const paragraphs = split ? text.split(/\n{2,}/).filter((one) => one.trim() !== '') : [text];
  const last = paragraphs.slice(MOST_PARTS - 1).join('\n\n');
  const parts = [...paragraphs.slice(0, MOST_PARTS - 1), last].filter((part) => part !== '');
  return parts.map(shortened);
}

/** Ends a part that is too long where a sentence ends, and does not split a sign in two. */
function shortened(part: string): string {
  if (part.length <= PART_MAX) return part;
  const start = part.slice(0, PART_MAX - 1).replace(/[\ud800-\udbff]$/, '');
  const end = Math.max(start.lastIndexOf('. '), start.lastIndexOf('\n'));
  return end > PART_MAX / 2 ? start.slice(0, end + 1).trimEnd() : `${start}…`;
}
