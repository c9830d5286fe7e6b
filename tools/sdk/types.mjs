// Schemas of the description (OpenAPI 3.1) as TypeScript.

const NAME = /^[A-Za-z_$][\w$]*$/;
const WIDTH = 105;

/** Writes a schema as a type. */
export function typeOf(schema) {
  if (!schema) return 'unknown';
  if (schema.$ref) return schema.$ref.split('/').at(-1);
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema['x-extensible-enum']) return openEnum(schema);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.allOf) return schema.allOf.map(typeOf).map(inBrackets).join(' & ');
  const union = schema.anyOf ?? (schema.properties ? undefined : schema.oneOf);
  if (union) return union.map(typeOf).join(' | ');
  return [schema.type ?? 'unknown']
    .flat()
    .map((type) => typeNamed(type, schema))
    .join(' | ');
}

/** Writes an enum that may grow: the values of today are completed by editors, and any other text is taken. */
function openEnum(schema) {
  const values = schema['x-extensible-enum'].map((value) => JSON.stringify(value));
  const isNullable = [schema.type].flat().includes('null');
  return [...values, '(string & {})', ...(isNullable ? ['null'] : [])].join(' | ');
}

function typeNamed(type, schema) {
  if (type === 'integer') return 'number';
  if (type === 'array') return `${inBrackets(typeOf(schema.items))}[]`;
  if (type === 'string' && schema.format === 'binary') return 'Blob';
  return type === 'object' ? objectOf(schema) : type;
}

const inBrackets = (type) => (/^[\w$]+$/.test(type) || type.startsWith('{') ? type : `(${type})`);

function objectOf({ properties, required = [], additionalProperties }) {
  if (properties) return `{\n${fieldsOf(properties, required)}\n}`;
  const values = typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown';
  return `Record<string, ${values}>`;
}

/** Writes the fields of an object, each with its words. */
export function fieldsOf(properties, required) {
  return Object.entries(properties)
    .map(([name, schema]) => {
      const key = NAME.test(name) ? name : JSON.stringify(name);
      const optional = required.includes(name) ? '' : '?';
      return `${comment(schema.description)}${key}${optional}: ${typeOf(schema)}${optional ? ' | undefined' : ''};`;
    })
    .join('\n');
}

/** Writes a doc block; empty where there is nothing to say. */
export function comment(...parts) {
  const words = parts.filter(Boolean).join(' ').replaceAll('*/', '*\\/').split(/\s+/);
  if (words.length === 1 && words[0] === '') return '';
  const lines = [''];
  for (const word of words) {
    const line = lines.at(-1);
    if (line && line.length + word.length >= WIDTH) lines.push(word);
    else lines[lines.length - 1] = line ? `${line} ${word}` : word;
  }
  return lines.length === 1 ? `/** ${lines[0]} */\n` : `/**\n * ${lines.join('\n * ')}\n */\n`;
}

/** Writes every schema that a route or a webhook uses, under its own name. */
export function schemasFile(document) {
  const { schemas } = document.components;
  return schemasUsed(document)
    .map((name) => declarationOf(name, schemas[name]))
    .join('\n');
}

/** Names the schemas that a route or a webhook uses. */
export function schemasUsed({ paths, webhooks, components: { schemas, ...shared } }) {
  const names = new Set();
  follow({ paths, webhooks, shared }, schemas, names);
  return [...names].sort();
}

/** Writes an object that extends others as one with the fields of all of them. */
export function wholeSchema(schema, schemas) {
  if (schema.$ref) return wholeSchema(schemas[schema.$ref.split('/').at(-1)], schemas);
  if (!schema.allOf) return schema;
  const parts = schema.allOf.map((part) => wholeSchema(part, schemas));
  return {
    type: 'object',
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required = [] }) => required),
  };
}

/** Notes the schemas that this refers to, and those they refer to. */
function follow(place, schemas, names) {
  for (const [, name] of JSON.stringify(place).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    if (names.has(name)) continue;
    names.add(name);
    follow(schemas[name], schemas, names);
  }
}

function declarationOf(name, schema) {
  const words = comment(schema.description ?? `\`${name}\` of the API description.`);
  if (!schema.properties) return `${words}export type ${name} = ${typeOf(schema)};\n`;
  return `${words}export interface ${name} {\n${fieldsOf(schema.properties, schema.required ?? [])}\n}\n`;
}
