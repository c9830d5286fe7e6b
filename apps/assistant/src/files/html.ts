/** Elements whose content nobody reads. */
const SILENT = new Set(['script', 'style', 'noscript', 'template', 'svg', 'iframe', 'nav', 'form', 'title']);
/** Elements that end a line. */
const BLOCKS = new Set([
  ...['p', 'div', 'br', 'li', 'ul', 'ol', 'tr', 'table', 'section', 'article', 'header', 'footer', 'main'],
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'dt', 'dd', 'blockquote', 'pre', 'hr', 'aside', 'figure'],
]);
const ENTITIES: Record<string, string> = {
  ...{
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    nbsp: ' ',
    euro: '€',
    copy: '©',
    ndash: '–',
    mdash: '—',
  },
  ...{ auml: 'ä', ouml: 'ö', uuml: 'ü', Auml: 'Ä', Ouml: 'Ö', Uuml: 'Ü', szlig: 'ß', hellip: '…' },
  ...{ eacute: 'é', egrave: 'è', agrave: 'à', ccedil: 'ç', ntilde: 'ñ', shy: '' },
};

/** Reads the text of a page in HTML: once from its beginning to its end, however it is written. */
export function textOfHtml(html: string): string {
  const text: string[] = [];
  let place = 0;
  while (place < html.length) {
    const open = html.indexOf('<', place);
    text.push(html.slice(place, open < 0 ? undefined : open));
    if (open < 0) break;
    const { name, end } = tagAt(html, open);
    place = SILENT.has(name) ? endOf(html, name, end) : end;
    if (BLOCKS.has(name.replace('/', ''))) text.push('\n\n');
  }
  return tidy(text.join(''));
}

/** Reads the name of a tag, `/p` at its end, and where it ends; a sign that begins none is text. */
function tagAt(html: string, open: number): { name: string; end: number } {
  if (html.startsWith('<!--', open)) return { name: '', end: after(html, '-->', open) };
  const [, name = ''] = /^<(\/?[a-z][a-z0-9]{0,20})/i.exec(html.slice(open, open + 24)) ?? [];
  return { name: name.toLowerCase(), end: after(html, '>', open) };
}

function endOf(html: string, name: string, from: number): number {
  let close = html.indexOf('</', from);
  while (close >= 0 && html.slice(close + 2, close + 2 + name.length).toLowerCase() !== name)
    close = html.indexOf('</', close + 2);
  return close < 0 ? html.length : close;
}

function after(html: string, mark: string, from: number): number {
  const at = html.indexOf(mark, from);
  return at < 0 ? html.length : at + mark.length;
}

/** Puts characters in place of their names, and leaves one space where there are many. */
export const tidy = (text: string): string =>
  text
    .replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,8});/gi, (all, name: string) => characterOf(name) ?? all)
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();

function characterOf(name: string): string | undefined {
  if (!name.startsWith('#')) return ENTITIES[name];
  const code = /^#x/i.test(name) ? parseInt(name.slice(2), 16) : parseInt(name.slice(1), 10);
  return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : undefined;
}
