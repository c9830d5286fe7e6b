// The objects of deploy/ are trees with places that are filled later: by the values of an overlay of Kustomize, or by Helm. So both are made of
// one source (docs/adr/0048-manifests-have-one-source.md).

class Value {
  constructor(path) {
    this.path = path;
  }
}
class When {
  constructor(path, then) {
    Object.assign(this, { path, then });
  }
}
class Each {
  constructor(path, item) {
    Object.assign(this, { path, item });
  }
}

/** Stands for a value of the overlay or chart; `$key` and `$value` are those of the `each` around it. */
export const value = (path) => new Value(path);
/** Stands for a part that is there where the value is given: neither false nor 0 nor empty. */
export const when = (path, then) => new When(path, then);
/** Stands for one item of a list for each entry of a map, or each item of a list, among the values. */
export const each = (path, item) => new Each(path, item);

const KEY = value('$key');
const ITEM = value('$value');
const itemOf = ({ item }) => item(KEY, ITEM);

/** Finds a value by its path. */
export function lookUp(values, path) {
  return path.split('.').reduce((at, name) => at?.[name], values);
}

/** Says whether Helm takes a value for true. */
export const isGiven = (found) =>
  typeof found === 'object' && found ? Object.keys(found).length > 0 : Boolean(found);

const entriesOf = (found = {}) =>
  Array.isArray(found)
    ? [...found.entries()]
    : Object.entries(found).sort(([one], [other]) => (one < other ? -1 : 1));

/** Fills a tree with values. @returns undefined where the whole of it is left out. */
export function fill(tree, values) {
  if (tree instanceof Value) return lookUp(values, tree.path);
  if (tree instanceof When) return isGiven(lookUp(values, tree.path)) ? fill(tree.then, values) : undefined;
  if (Array.isArray(tree)) return tree.flatMap((item) => fillItems(item, values));
  if (tree && typeof tree === 'object')
    return Object.fromEntries(
      Object.entries(tree)
        .map(([key, child]) => [key, fill(child, values)])
        .filter(([, child]) => child !== undefined),
    );
  return tree;
}

function fillItems(item, values) {
  if (item instanceof Each)
    return entriesOf(lookUp(values, item.path)).map(([$key, $value]) =>
      fill(itemOf(item), { ...values, $key, $value }),
    );
  if (item instanceof When)
    return isGiven(lookUp(values, item.path))
      ? [item.then].flat().flatMap((one) => fillItems(one, values))
      : [];
  return [fill(item, values)];
}

const isTree = (child) => child && typeof child === 'object' && !(child instanceof Value);
const isEmpty = (child) => isTree(child) && Object.keys(child).length === 0;
const PLAIN = /^[A-Za-z/](?:[\w ./()+-]|:(?! |$))*(?<! )$/;
const WORDS = /^(true|false|null|yes|no|on|off|y|n)$/i;

/** Writes one text, number or value. `chart` has the values of the chart, where Helm fills them in. */
function scalar(child, chart) {
  if (isEmpty(child)) return Array.isArray(child) ? '[]' : '{}';
  if (child instanceof Value) {
    if (child.path.startsWith('$')) return `"{{ ${child.path} }}"`;
    const text = `{{ .Values.${child.path} }}`;
    return typeof lookUp(chart, child.path) === 'string' ? `"${text}"` : text;
  }
  if (typeof child !== 'string') return String(child);
  return PLAIN.test(child) && !WORDS.test(child) ? child : JSON.stringify(child);
}

const block = (open, lines) => [`{{- ${open} }}`, ...lines, '{{- end }}'];
const indented = (lines) => lines.map((line) => (line.startsWith('{{-') ? line : `  ${line}`));

function entry(key, child, chart) {
  if (child instanceof When) return block(`if .Values.${child.path}`, entry(key, child.then, chart));
  if (!isTree(child) || isEmpty(child)) {
    if (typeof child === 'string' && child.includes('\n'))
      return [`${key}: |`, ...indented(child.trimEnd().split('\n'))];
    return [`${key}: ${scalar(child, chart)}`];
  }
  return [`${key}:`, ...indented(yamlLines(child, chart))];
}

function items(item, chart) {
  if (item instanceof When)
    return block(
      `if .Values.${item.path}`,
      [item.then].flat().flatMap((one) => items(one, chart)),
    );
  if (item instanceof Each)
    return block(`range $key, $value := .Values.${item.path}`, items(itemOf(item), chart));
  if (!isTree(item) || isEmpty(item)) return [`- ${scalar(item, chart)}`];
  const [first, ...rest] = yamlLines(item, chart);
  return [`- ${first}`, ...indented(rest)];
}

function yamlLines(tree, chart) {
  if (tree instanceof When) return block(`if .Values.${tree.path}`, yamlLines(tree.then, chart));
  if (Array.isArray(tree)) return tree.flatMap((item) => items(item, chart));
  return Object.entries(tree).flatMap(([key, child]) => entry(key, child, chart));
}

/** Writes trees as the documents of a YAML file; with the values of a chart as one of its templates. */
export function yamlText(trees, chart) {
  return trees.map((tree) => `${document(tree, chart).join('\n')}\n`).join('');
}

function document(tree, chart) {
  if (tree instanceof When) return block(`if .Values.${tree.path}`, document(tree.then, chart));
  return ['---', ...yamlLines(tree, chart)];
}
