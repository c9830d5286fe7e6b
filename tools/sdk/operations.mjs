// Operations of the description as one class per resource, each operation a method.
import { comment, fieldsOf, typeOf } from './types.mjs';

const capital = (text) => text[0].toUpperCase() + text.slice(1);
const camel = (text) => text.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());

/** Describes every operation for the client, by resource: the first word of the path after `/v1/`. */
export function resourcesOf({ paths, components }) {
  const resources = new Map();
  for (const [path, methods] of Object.entries(paths)) {
    if (!path.startsWith('/v1/')) continue;
    const resource = camel(path.split('/')[2]);
    for (const [method, operation] of Object.entries(methods)) {
      if (operation.security?.length === 0) continue; // the holder of a key has no use for it
      const before = resources.get(resource) ?? [];
      resources.set(resource, [...before, describe(resource, path, method, operation, components)]);
    }
  }
  for (const [resource, operations] of resources) assertDistinct(resource, operations);
  return new Map([...resources].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function assertDistinct(resource, operations) {
  const names = operations.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice) throw new Error(`Two operations of ${resource} would be called ${twice}.`);
}

function describe(resource, path, method, operation, { parameters: shared = {} }) {
  const parameters = (operation.parameters ?? []).map((one) =>
    one.$ref ? shared[one.$ref.split('/').at(-1)] : one,
  );
  const content = operation.requestBody?.content ?? {};
  const json = content['application/json']?.schema;
  return {
    name: nameOf(resource, operation.operationId),
    id: operation.operationId,
    ...{ path, method: method.toUpperCase() },
    words: [operation.summary && `${operation.summary}.`, operation.description],
    ids: parameters.filter((one) => one.in === 'path').map(({ name }) => name),
    query: parameters.filter((one) => one.in === 'query'),
    body: json ?? (content['multipart/form-data'] && { $ref: 'FormData' }),
    bodyNeeded: operation.requestBody?.required !== false,
    answer: answerOf(operation.responses),
    notRepeatableWith: operation['x-not-repeatable-with'],
  };
}

/** Names a method: `listMessages` of `messages` is `messages.list`, `getSessionQr` is `sessions.getQr`; what says more keeps its name. */
function nameOf(resource, operationId) {
  const plural = capital(resource);
  const singular = plural.replace(/ies$/, 'y').replace(/s$/, '');
  const short = operationId.replace(new RegExp(`^([a-z]+)(${plural}|${singular})(?=[A-Z]|$)`), '$1');
  return short;
}

function answerOf(responses) {
  const [, answer] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  const content = answer?.content ?? {};
  const json = content['application/json']?.schema;
  if (content['text/event-stream']) return { kind: 'stream' };
  if (!json) return Object.keys(content).length > 0 ? { kind: 'file' } : { kind: 'nothing' };
  return { kind: 'json', schema: json };
}

/** Types of a list, its item and where that says more than other pages its page, and the name of its cursor; undefined of what is no list. */
export function listOf({ answer, query }, schemas) {
  const schema = schemas[answer.schema?.$ref?.split('/').at(-1)] ?? answer.schema;
  const { items, nextCursor, ...more } = schema?.properties ?? {};
  const cursor = query.map(({ name }) => name).find((name) => name === 'before' || name === 'after');
  if (!items || !nextCursor || !cursor) return undefined;
  const types = [typeOf(items.items), ...(Object.keys(more).length > 0 ? [typeOf(answer.schema)] : [])];
  return { types: types.join(', '), item: items.items, cursor };
}

/** Writes the classes, and the one that has them all. */
export function resourcesFile(document) {
  const { schemas } = document.components;
  const resources = [...resourcesOf(document)];
  const queries = resources.flatMap(([, operations]) => operations.filter(({ query }) => query.length > 0));
  const classes = resources.map(
    ([resource, operations]) => `/** \`${resource}\` of the API. */
export class ${capital(resource)}Resource {
  constructor(protected readonly caller: Caller) {}
${operations
  .filter(({ answer }) => answer.kind !== 'stream')
  .map((one) => methodOf(one, schemas))
  .join('\n')}
}
`,
  );
  const fields = resources.map(([resource]) => `readonly ${resource}: ${capital(resource)}Resource;`);
  const made = resources.map(([resource]) => `this.${resource} = new ${capital(resource)}Resource(caller);`);
  const body = [...queries.map(queryOf), ...classes].join('\n');
  const types = Object.keys(schemas).filter((name) => new RegExp(`\\b${name}\\b`).test(body));
  return `import type { Caller, CallOptions } from '../caller.js';
import type { Paged } from '../paged.js';
import type { ${types.sort().join(', ')} } from './schemas.js';

${body}
/** Every resource of the API. */
export class Resources {
${fields.join('\n')}

  constructor(caller: Caller) {
    ${made.join('\n    ')}
  }
}
`;
}

const queryName = ({ id }) => `${capital(id)}Query`;

function queryOf(operation) {
  const properties = Object.fromEntries(
    operation.query.map(({ name, schema, description }) => [name, { ...schema, description }]),
  );
  const required = operation.query.filter((one) => one.required).map(({ name }) => name);
  const words = comment(`Query of \`${operation.method} ${operation.path}\`.`);
  return `${words}export interface ${queryName(operation)} {\n${fieldsOf(properties, required)}\n}\n`;
}

function methodOf(operation, schemas) {
  const { name, method, path, words, ids, query, body, bodyNeeded, answer, notRepeatableWith } = operation;
  const list = listOf(operation, schemas);
  const queryNeeded = query.some(({ required }) => required);
  const parameters = [
    ...ids.map((id) => `${id}: string`),
    ...(body ? [`body${bodyNeeded ? '' : '?'}: ${typeOf(body)}`] : []),
    ...(query.length > 0 ? [`query: ${queryName(operation)}${queryNeeded ? '' : ' = {}'}`] : []),
    'options?: CallOptions',
  ];
  const place = path.replace(/\{(\w+)\}/g, (_, id) => `\${encodeURIComponent(${id})}`);
  const bodySchema = schemas[body?.$ref?.split('/').at(-1)];
  const request = [
    `method: '${method}'`,
    `path: ${ids.length > 0 ? `\`${place}\`` : `'${path}'`}`,
    ...(query.length > 0 ? ['query'] : []),
    ...(body ? ['body'] : []),
    ...(bodySchema?.properties?.clientMessageId ? [`idempotencyField: 'clientMessageId'`] : []),
    ...(notRepeatableWith ? [`notRepeatableWith: ${JSON.stringify(notRepeatableWith)}`] : []),
    ...(list ? [`cursor: '${list.cursor}'`] : []),
  ].join(', ');
  const { verb, type } = callOf(answer, list);
  return `
${comment(...words)}${name}(${parameters.join(', ')}): ${type} {
    return this.caller.${verb}({ ${request} }, options);
  }`;
}

function callOf(answer, list) {
  if (list) return { verb: `pages<${list.types}>`, type: `Paged<${list.types}>` };
  if (answer.kind === 'file') return { verb: 'file', type: 'Promise<Response>' };
  if (answer.kind === 'nothing') return { verb: 'nothing', type: 'Promise<void>' };
  return { verb: `json<${typeOf(answer.schema)}>`, type: `Promise<${typeOf(answer.schema)}>` };
}
