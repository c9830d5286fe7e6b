// The page about webhooks for tenants: its blocks of code and its table of answers are written here, and its figures are compared with the
// configuration and the contracts that they come from.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { wholeSchema } from './sdk/types.mjs';

const ROOT = resolve(import.meta.dirname, '..');
const PAGE = 'docs/webhooks.md';
const SAMPLES = [
  ['TypeScript', 'verify.ts', 'ts'],
  ['Python', 'verify.py', 'python'],
  ['PHP', 'verify.php', 'php'],
  ['Ruby', 'verify.rb', 'ruby'],
  ['Shell, with openssl', 'verify.sh', 'sh'],
];

const read = (path) => readFileSync(join(ROOT, path), 'utf8');
const built = (path) => import(pathToFileURL(join(ROOT, path)).href);

function samples() {
  const shown = SAMPLES.map(([language, file, name]) => {
    return `### ${language}\n\n\`\`\`${name}\n${read(`libs/sdk/examples/verify/${file}`).trim()}\n\`\`\``;
  });
  return shown.join('\n\n');
}

/** Writes the page anew: its blocks, and nothing between them. */
export async function webhooksPage() {
  const { answerTable } = await built('libs/contracts/dist/index.js');
  const blocks = { samples, answers: answerTable };
  return read(PAGE).replace(
    /(<!-- block: (\w+) -->)[^]*?(<!-- \/block -->)/g,
    (_, begin, name, end) => `${begin}\n\n${blocks[name]()}\n\n${end}`,
  );
}

const UNITS = [
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
];

function inWords(ms) {
  const [size, unit] = UNITS.find(([one]) => ms >= one);
  return `${ms / size} ${unit}${ms === size ? '' : 's'}`;
}

/** Lists phrases in which a figure stands, made of where the figure comes from: those of the page, and those of the description. */
async function phrases() {
  const { DispatcherConfig } = await built('apps/webhook-dispatcher/dist/config.js');
  const { MOST_ATTEMPTS } = await built('apps/webhook-dispatcher/dist/replays/replay.repository.js');
  const config = new DispatcherConfig();
  const delays = config.retryDelaysMs.slice(1).map(inWords);
  const later = `${delays.slice(0, -1).join(', ')} and ${delays.at(-1)}`;
  const attempts = `${config.retryDelaysMs.length} attempts in all`;
  const inDescription = [
    `answer 2xx within ${inWords(config.timeoutMs)}`,
    `again after ${later}, ${attempts}`,
    `held for ${config.holdDays} days, ${config.holdLimit.toLocaleString('en')} at most`,
  ];
  const onPage = [
    `again ${later} after the attempt before: ${attempts}`,
    `No answer within ${inWords(config.timeoutMs)} is a failure`,
    `Answer 2xx within ${inWords(config.timeoutMs)}`,
    `held for ${config.holdDays} days becomes a dead letter`,
    `more than ${config.holdLimit.toLocaleString('en')} that are held`,
    `kept for ${config.retentionDays} days, dead letters for ${config.deadLetterDays}.`,
    `${MOST_ATTEMPTS} attempts at most`,
  ];
  return { onPage, inDescription };
}

/** Lists what the page says otherwise than the code: figures, routes, the events, and the fields that they carry. */
export async function wrongOnWebhooksPage({ paths, webhooks, components: { schemas } }) {
  const text = read(PAGE);
  const { description } = paths['/v1/webhooks'].post;
  const { onPage, inDescription } = await phrases();
  const rows = [
    ...text.matchAll(/^\| `((?:message|session|webhook|call|conversation)\.\w+)` +\|[^|]*\|([^|]*)\|/gm),
  ];
  const named = rows.map(([, event]) => event);
  const events = Object.keys(webhooks);
  const fieldsOf = (event) => {
    const { payload } = webhooks[event].post.requestBody.content['application/json'].schema.properties;
    return wholeSchema(payload, schemas).properties;
  };
  const calls = [...text.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/v1\/[\w:/-]+)`/g)];
  const isRoute = (method, path) =>
    Object.entries(paths).some(
      ([one, methods]) => one.replace(/\{\w+\}/g, ':id') === path && method.toLowerCase() in methods,
    );
  return [
    ...calls
      .filter(([, method, path]) => !isRoute(method, path))
      .map(([, method, path]) => `${PAGE}: there is no ${method} ${path}.`),
    ...onPage.filter((one) => !text.includes(one)).map((one) => `${PAGE} does not say: ${one}`),
    ...inDescription
      .filter((one) => !description.includes(one))
      .map((one) => `The description of createWebhook does not say: ${one}`),
    ...events.filter((event) => !named.includes(event)).map((event) => `${PAGE} does not list ${event}.`),
    ...named
      .filter((event) => !events.includes(event))
      .map((event) => `${PAGE} lists ${event}, which is no event.`),
    ...rows.flatMap(([, event, fields]) =>
      [...fields.matchAll(/`(\w+)`/g)]
        .filter(([, field]) => events.includes(event) && !(field in fieldsOf(event)))
        .map(([, field]) => `${PAGE}: ${event} carries no ${field}.`),
    ),
  ];
}
