// Renders the templates of the chart: plain values, `if` and `range` are all that they use, and nothing else is taken. It stands in for Helm,
// which no check has at hand.
const TAG = /\{\{(-?) (.+?) \}\}/g;
const PATH = /^(\.Values(\.\w+)+|\$key|\$value)$/;
const RANGE = /^range \$key, \$value := (\S+)$/;

/** Renders one template. @throws Error that names the expression that it does not know. */
export function render(template, values) {
  const tokens = tokensOf(template);
  const text = run(tokens, { Values: values });
  if (tokens.length > 0) throw new Error('An {{ end }} has no beginning.');
  return text;
}

/** Splits a template into texts and expressions; `{{-` takes the white space before it away. */
function tokensOf(template) {
  const tokens = [];
  let from = 0;
  for (const { 0: tag, 1: dash, 2: expression, index } of template.matchAll(TAG)) {
    const before = template.slice(from, index);
    tokens.push({ text: dash ? before.trimEnd() : before }, { expression });
    from = index + tag.length;
  }
  return [...tokens, { text: template.slice(from) }];
}

const find = (path, scope) => {
  if (!PATH.test(path)) throw new Error(`{{ ${path} }} is neither a value, nor if, nor range.`);
  return path.startsWith('$')
    ? scope[path]
    : path
        .slice(1)
        .split('.')
        .reduce((at, name) => at?.[name], scope);
};
const isTrue = (found) =>
  found && typeof found === 'object' ? Object.keys(found).length > 0 : Boolean(found);

function run(tokens, scope) {
  let text = '';
  while (tokens.length > 0 && tokens[0].expression !== 'end') {
    const { text: plain, expression } = tokens.shift();
    if (expression === undefined) text += plain;
    else if (expression.startsWith('if ')) text += runIf(tokens, expression.slice(3), scope);
    else if (RANGE.test(expression)) text += runRange(tokens, RANGE.exec(expression)[1], scope);
    else text += print(expression, scope);
  }
  return text;
}

function print(expression, scope) {
  const found = find(expression, scope);
  if (found === undefined || typeof found === 'object')
    throw new Error(`{{ ${expression} }} has no plain value.`);
  return String(found);
}

function bodyOf(tokens) {
  let depth = 1;
  const length = tokens.findIndex(({ expression = '' }) => {
    if (/^(if|range) /.test(expression)) depth += 1;
    if (expression === 'end') depth -= 1;
    return depth === 0;
  });
  if (length < 0) throw new Error('An {{ if }} or {{ range }} has no end.');
  const body = tokens.splice(0, length);
  tokens.shift();
  return body;
}

function runIf(tokens, path, scope) {
  const body = bodyOf(tokens);
  return isTrue(find(path, scope)) ? run(body, scope) : '';
}

function runRange(tokens, path, scope) {
  const body = bodyOf(tokens);
  return Object.entries(find(path, scope) ?? {})
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([$key, $value]) => run([...body], { ...scope, $key, $value }))
    .join('');
}

/** Lays values of an installation over the defaults, as Helm does. */
export function overlay(defaults, changes) {
  const isObject = (one) => one && typeof one === 'object' && !Array.isArray(one);
  if (!isObject(defaults) || !isObject(changes)) return changes;
  const entries = Object.entries(changes).map(([name, one]) => [name, overlay(defaults[name], one)]);
  return { ...defaults, ...Object.fromEntries(entries) };
}
