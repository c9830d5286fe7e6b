import { type ApiDocument, type JsonSchema, resolveSchema } from './api-document.js';

/** Bounds, and in which direction a change of one refuses what was taken before. */
const LOWER = ['minimum', 'minLength', 'minItems', 'minProperties'];
const UPPER = ['maximum', 'maxLength', 'maxItems', 'maxProperties'];

/** Compares a schema of the released description with the one of today, as seen by a client. */
export class SchemaComparison {
  private readonly found: string[] = [];
  private readonly seen = new Set<string>();

  constructor(
    private readonly direction: 'request' | 'answer',
    private readonly released: ApiDocument,
    private readonly current: ApiDocument,
  ) {}

  /** Lists what is no longer taken (of a request), or no longer to be relied on (of an answer). */
  of(place: string, before: JsonSchema, after: JsonSchema): string[] {
    this.compare(place, before, after);
    return this.found;
  }

  private compare(place: string, referringBefore: JsonSchema, referringAfter: JsonSchema): void {
    // Schemas may contain themselves.
    const pair = `${referringBefore.$ref} ${referringAfter.$ref}`;
    if (referringBefore.$ref !== undefined) {
      if (this.seen.has(pair)) return;
      this.seen.add(pair);
    }
    const before = wholeSchema(this.released, referringBefore);
    const after = wholeSchema(this.current, referringAfter);
    this.compareTypes(place, before, after);
    this.compareFields(place, before, after);
    this.compareAlternatives(place, before, after);
    if (before.items && after.items) this.compare(`${place}[]`, before.items, after.items);
    if (before['format'] !== after['format'])
      this.say(place, `the format was ${String(before['format'])} and is ${String(after['format'])}`);
    if (this.direction === 'request') this.compareBounds(place, before, after);
  }

  private compareTypes(place: string, before: JsonSchema, after: JsonSchema): void {
    const [was, is] = [typesOf(before), typesOf(after)];
    const [sentTypes, readTypes] = this.direction === 'request' ? [was, is] : [is, was];
    // An integer is a number, too. Without a type anything goes.
    const fits = (type: string): boolean =>
      readTypes.includes(type) || (type === 'integer' && readTypes.includes('number'));
    const isNarrower = readTypes.length > 0 && (sentTypes.length === 0 || !sentTypes.every(fits));
    if (isNarrower) this.say(place, `the type was ${was.join('|') || 'any'} and is ${is.join('|') || 'any'}`);
    if (this.direction === 'request') this.compareEnums(place, before, after);
  }

  private compareEnums(place: string, before: JsonSchema, after: JsonSchema): void {
    if (!after.enum) return;
    if (!before.enum) return this.say(place, 'only certain values are taken now');
    for (const value of before.enum) {
      if (!after.enum.includes(value)) this.say(place, `the value ${JSON.stringify(value)} is gone`);
    }
  }

  private compareFields(place: string, before: JsonSchema, after: JsonSchema): void {
    for (const [name, schema] of Object.entries(before.properties ?? {})) {
      const same = after.properties?.[name];
      if (same) this.compare(`${place}.${name}`, schema, same);
      else this.say(`${place}.${name}`, 'the field is gone');
    }
    const [was, is] = [new Set(before.required), new Set(after.required)];
    if (this.direction === 'request') {
      for (const name of is) if (!was.has(name)) this.say(`${place}.${name}`, 'the field is required now');
    } else {
      for (const name of was) if (!is.has(name)) this.say(`${place}.${name}`, 'the field may be missing now');
    }
  }

  /** Compares alternatives. New kinds of an answer are for clients to ignore; of a request none may go. */
  private compareAlternatives(place: string, before: JsonSchema, after: JsonSchema): void {
    for (const keyword of ['oneOf', 'anyOf'] as const) {
      const [was, is] = [before[keyword] ?? [], after[keyword] ?? []];
      if (this.direction === 'request' && was.length === 0 && is.length > 0)
        this.say(place, `${keyword} narrows what is taken`);
      for (const alternative of was) {
        const same = is.find((one) => nameOf(one) === nameOf(alternative));
        if (same) this.compare(place, alternative, same);
        else if (this.direction === 'request') this.say(place, `${nameOf(alternative)} is no longer taken`);
      }
    }
  }

  private compareBounds(place: string, before: JsonSchema, after: JsonSchema): void {
    const bound = (schema: JsonSchema, name: string, without: number): number =>
      Number(schema[name] ?? without);
    for (const name of LOWER) {
      if (bound(after, name, -Infinity) > bound(before, name, -Infinity))
        this.say(place, `${name} was ${String(before[name])} and is ${String(after[name])}`);
    }
    for (const name of UPPER) {
      if (bound(after, name, Infinity) < bound(before, name, Infinity))
        this.say(place, `${name} was ${String(before[name])} and is ${String(after[name])}`);
    }
    const changed = ['pattern', 'const', 'uniqueItems'].filter(
      (name) => after[name] !== undefined && after[name] !== before[name],
    );
    for (const name of changed) this.say(place, `${name} is ${String(after[name])} now`);
    if (after['additionalProperties'] === false && before['additionalProperties'] !== false)
      this.say(place, 'unknown fields are refused now');
  }

  private say(place: string, what: string): void {
    this.found.push(`${place}: ${what}`);
  }
}

/** Finds the schema, with the fields of those that it extends. */
function wholeSchema(document: ApiDocument, referring: JsonSchema): JsonSchema {
  const { allOf = [], ...own } = resolveSchema(document, referring);
  const parts = [...allOf.map((part) => wholeSchema(document, part)), own];
  if (parts.length === 1) return own;
  return {
    ...(Object.assign({}, ...parts) as JsonSchema),
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)) as Record<string, JsonSchema>,
    required: parts.flatMap(({ required = [] }) => required),
  };
}

function typesOf({ type }: JsonSchema): string[] {
  return [type ?? []].flat();
}

/** Finds the name by which an alternative is recognised. */
function nameOf({ $ref, required, type }: JsonSchema): string {
  return $ref?.split('/').at(-1) ?? required?.join('+') ?? String(type);
}
