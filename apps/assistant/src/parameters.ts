import { Ajv } from 'ajv';

/** Most characters of a schema as JSON, and most levels of objects and lists in it. */
const CHARACTERS_MAX = 8_000;
const LEVELS_MAX = 5;
/**
 * Keywords that a schema may have. Patterns are not among them: one that a stranger writes can keep this process busy for ever. Nor are references
 * and combinations: what a schema costs to check grows with its length alone.
 */
const KEYWORDS = [
  ...['type', 'title', 'description', 'default', 'examples', 'enum', 'const', 'format'],
  ...['properties', 'required', 'additionalProperties', 'items', 'minItems', 'maxItems'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'minLength', 'maxLength'],
];
const PROPERTY = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
/** Most characters of the words about what is wrong with arguments. */
const PROBLEM_MAX = 500;

type Schema = Record<string, unknown>;

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Says what is wrong with the schema of a tool's arguments, in words that follow its name; undefined: nothing. */
export function problemWithParameters(schema: Schema): string | undefined {
  if (JSON.stringify(schema).length > CHARACTERS_MAX) return `must have ${CHARACTERS_MAX} characters at most`;
  if (schema['type'] !== 'object') return 'must have the type object';
  const problem = problemWithin(schema, 1);
  if (problem) return problem;
  try {
    compile(schema);
    return undefined;
  } catch {
    return 'must be a JSON Schema: a keyword has a value that it may not have';
  }
}

function problemWithin(schema: unknown, level: number): string | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (!isObject(schema)) return 'must have objects for schemas';
  if (level > LEVELS_MAX) return `must have ${LEVELS_MAX} levels at most`;
  const unknown = Object.keys(schema).find((key) => !KEYWORDS.includes(key));
  if (unknown !== undefined) return `must not have the keyword ${JSON.stringify(unknown.slice(0, 50))}`;
  const { properties = {}, items, additionalProperties } = schema;
  if (!isObject(properties)) return 'must have an object for properties';
  const name = Object.keys(properties).find((key) => !PROPERTY.test(key));
  if (name !== undefined)
    return `must name properties by letters, digits, _ and -: ${JSON.stringify(name.slice(0, 50))}`;
  const schemas = [...Object.values(properties), items, additionalProperties];
  return schemas
    .filter((one) => one !== undefined)
    .map((one) => problemWithin(one, level + 1))
    .find((problem) => problem !== undefined);
}

/** Arguments of a call, or what is wrong with them. */
export type Arguments = { values: Schema } | { problem: string };

/** Reads the arguments with which a model calls a tool, by its schema. */
export function argumentsOf(schema: Schema, json: string): Arguments {
  let values: unknown;
  try {
    // A model that has nothing to say may say nothing.
    values = JSON.parse(json.trim() === '' ? '{}' : json);
  } catch {
    return { problem: 'the arguments are not JSON' };
  }
  if (!isObject(values)) return { problem: 'the arguments are not an object' };
  const check = compile(schema);
  if (check(values)) return { values };
  const words = (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`.trim());
  return { problem: words.join('; ').slice(0, PROBLEM_MAX) };
}

/** Compiles for one use: an instance keeps all schemas that it has seen. */
const compile = (schema: Schema) =>
  new Ajv({ strict: false, validateFormats: false, logger: false, addUsedSchema: false }).compile(schema);
