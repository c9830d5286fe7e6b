import { type ApiDocument, type JsonSchema, resolveSchema } from './api-document.js';

/** Numbers in [0, 1). */
export type Random = () => number;

/** Picks one of these. */
export function pick<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T;
}

/** Text that programs stumble over. */
export const HOSTILE_TEXTS = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\u202e\u200b',
  '😀'.repeat(40),
  "' OR 1=1 --",
  '%00',
  '../../etc/passwd',
  '__proto__',
  'null',
  '-1',
  '1e999',
  'NaN',
  '2026-02-31T25:61:00Z',
  '9999999999999999999999',
  'x'.repeat(5_000),
];
const HOSTILE: unknown[] = [
  ...HOSTILE_TEXTS,
  ...[null, true, false, 0, -1, 0.5, 1e308, 2 ** 53, -(2 ** 31) - 1],
  ...[[], {}, [[]], [null], { a: { b: [{}] } }],
];
const LETTERS = [...'abcXYZ019 .-_@+', 'ä', 'ß', 'ж', '中', '😀', '\n', '"', '\\'];
/** Usual length of a text, in characters; longer ones are made rarely: a body has a bound of its own. */
const USUAL_LENGTH = 60;

/** Makes values that fit a schema, and breaks them. */
export class FuzzValues {
  constructor(
    private readonly document: ApiDocument,
    private readonly random: Random,
  ) {}

  /** Makes a value that fits, as far as a schema says all of it. */
  fitting(referring: JsonSchema): unknown {
    const schema = resolveSchema(this.document, referring);
    if (schema['const'] !== undefined) return schema['const'];
    if (schema.enum) return pick(this.random, schema.enum);
    if (schema['example'] !== undefined && this.chance(0.4)) return schema['example'];
    if (schema.properties) return this.object(schema);
    const options = schema.oneOf ?? schema.anyOf ?? schema.allOf;
    return options ? this.fitting(pick(this.random, options)) : this.plain(schema);
  }

  /** Makes the same value with one place broken. */
  broken(value: unknown): unknown {
    if (Array.isArray(value) && value.length > 0 && this.chance(0.8)) {
      const at = Math.floor(this.random() * value.length);
      return (value as unknown[]).map((item, n) => (n === at ? this.broken(item) : item));
    }
    if (typeof value === 'object' && value !== null && !Array.isArray(value) && this.chance(0.9)) {
      return this.brokenObject(value as Record<string, unknown>);
    }
    return pick(this.random, HOSTILE);
  }

  chance(share: number): boolean {
    return this.random() < share;
  }

  private object({ properties = {}, required = [], oneOf = [] }: JsonSchema): Record<string, unknown> {
    const alternatives = oneOf.flatMap((one) => one.required ?? []);
    const chosen = alternatives.length > 0 ? pick(this.random, alternatives) : undefined;
    const fields = Object.entries(properties).filter(([name]) => {
      if (required.includes(name) || name === chosen) return true;
      return !alternatives.includes(name) && this.chance(chosen === undefined ? 0.5 : 0.15);
    });
    return Object.fromEntries(fields.map(([name, schema]) => [name, this.fitting(schema)]));
  }

  private plain(schema: JsonSchema): unknown {
    const type = pick(this.random, [schema.type ?? 'string'].flat());
    if (type === 'null') return null;
    if (type === 'boolean') return this.chance(0.5);
    if (type === 'integer' || type === 'number') return this.number(schema, type);
    if (type === 'array') return this.array(schema);
    return type === 'object' ? { 'X-Any': this.text(1, 10) } : this.string(schema);
  }

  private string(schema: JsonSchema): string {
    if (schema['format'] === 'uuid') return this.uuid();
    if (schema['pattern'] !== undefined && typeof schema['example'] === 'string') return schema['example'];
    const least = Number(schema['minLength'] ?? 0);
    const most = Number(schema['maxLength'] ?? USUAL_LENGTH);
    return this.text(least, this.chance(0.05) ? most : Math.max(least, Math.min(most, USUAL_LENGTH)));
  }

  private number({ minimum = 0, maximum = 1_000 }: JsonSchema, type: string): number {
    const [least, most] = [Number(minimum), Number(maximum)];
    if (this.chance(0.3)) return pick(this.random, [least, most]);
    const value = least + this.random() * (most - least);
    return type === 'integer' ? Math.floor(value) : value;
  }

  private array({ items = {}, minItems = 0, maxItems = 4, uniqueItems }: JsonSchema): unknown[] {
    const [least, most] = [Number(minItems), Math.min(Number(maxItems), 4)];
    const length = least + Math.floor(this.random() * (most - least + 1));
    const values = Array.from({ length }, () => this.fitting(items));
    return uniqueItems === true ? [...new Set(values)] : values;
  }

  private text(least: number, most: number): string {
    const length = pick(this.random, [least, most, Math.floor(least + this.random() * (most - least))]);
    const text = Array.from({ length }, () => pick(this.random, LETTERS)).join('');
    // A letter that is cut in half is none.
    return Buffer.from(text.slice(0, length)).toString();
  }

  private uuid(): string {
    const digits = Array.from({ length: 32 }, () => Math.floor(this.random() * 16).toString(16)).join('');
    return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-7$3-8$4-$5');
  }

  private brokenObject(value: Record<string, unknown>): Record<string, unknown> {
    const [name] = Object.keys(value).length > 0 ? [pick(this.random, Object.keys(value))] : [];
    const kind = this.random();
    if (name === undefined || kind < 0.15) {
      const unknown = pick(this.random, ['unknown', 'tenantId', 'constructor', 'toString', '', '\u0000']);
      return { ...value, [unknown]: pick(this.random, HOSTILE) };
    }
    if (kind < 0.3) return Object.fromEntries(Object.entries(value).filter(([field]) => field !== name));
    return { ...value, [name]: this.broken(value[name]) };
  }
}
