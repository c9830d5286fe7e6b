import type { OpenAPIObject } from '@nestjs/swagger';

/** Schemas of a description by name. */
export type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;

/** A schema as the decorators leave it, as far as an example needs it. */
interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  example?: unknown;
  const?: unknown;
  enum?: unknown[];
  'x-extensible-enum'?: unknown[];
  items?: Schema;
  nullable?: boolean;
  properties?: Record<string, Schema>;
  required?: string[];
  allOf?: Schema[];
  oneOf?: Schema[];
  anyOf?: Schema[];
}

/** Value of a field that has no example: a test looks for it. */
const NO_EXAMPLE = 'a field without an example';
const SOME_ID = '0198c0de-0000-7000-8000-000000000001';

/**
 * Makes whole examples of a schema, by name, of the examples of its fields, so that there is one place to write them. A schema with
 * alternatives has one example of each.
 */
export function examplesOf(schema: unknown, schemas: Schemas): Record<string, unknown> {
  return new Examples(schemas).of(schema as Schema);
}

class Examples {
  constructor(private readonly schemas: Schemas) {}

  of(schema: Schema): Record<string, unknown> {
    const whole = this.resolve(schema);
    if (whole.oneOf && !whole.properties) {
      return Object.fromEntries(whole.oneOf.map((one, n) => [nameOf(one) ?? `example${n}`, this.value(one)]));
    }
    const fields = alternativesOf(whole);
    if (fields.length === 0) return { [nameOf(schema) ?? 'example']: this.value(whole) };
    return Object.fromEntries(fields.map((field) => [field, this.withAlternative(whole, field)]));
  }

  private value(referring: Schema): unknown {
    const schema = this.resolve(referring);
    const example = exampleOf(schema);
    if (example !== undefined) return example;
    if (schema.properties) return this.object(schema);
    if (schema.allOf) return Object.assign({}, ...schema.allOf.map((part) => this.value(part))) as object;
    const [first] = schema.oneOf ?? schema.anyOf ?? [];
    return first ? this.value(first) : this.plain(schema);
  }

  private plain({ type, items = {}, nullable, format }: Schema): unknown {
    const types = [type].flat();
    if (types.includes('array')) return [this.value(items)];
    if (nullable || types.includes('null')) return null;
    if (format === 'uuid') return SOME_ID;
    return types.includes('object') ? {} : NO_EXAMPLE;
  }

  private object(schema: Schema): Record<string, unknown> {
    const [field] = alternativesOf(schema);
    return field === undefined ? this.pick(schema, () => true) : this.withAlternative(schema, field);
  }

  /** Picks one of the fields that exclude each other, with the fields that are always required. */
  private withAlternative(schema: Schema, alternative: string): Record<string, unknown> {
    return this.pick(schema, (field) => field === alternative || schema.required?.includes(field) === true);
  }

  private pick({ properties = {} }: Schema, isIn: (field: string) => boolean): Record<string, unknown> {
    const fields = Object.entries(properties).filter(([field]) => isIn(field));
    return Object.fromEntries(fields.map(([field, schema]) => [field, this.value(schema)]));
  }

  private resolve(schema: Schema): Schema {
    const name = nameOf(schema);
    return name === undefined ? schema : this.resolve((this.schemas[name] ?? {}) as Schema);
  }
}

/** Names the fields of which a value has exactly one. */
function alternativesOf({ properties, oneOf = [] }: Schema): string[] {
  return properties ? oneOf.flatMap(({ required = [] }) => required) : [];
}

function exampleOf(schema: Schema): unknown {
  if ('example' in schema) return schema.example;
  return schema.const ?? (schema.enum ?? schema['x-extensible-enum'])?.[0];
}

function nameOf({ $ref }: Schema): string | undefined {
  return $ref?.split('/').at(-1);
}
