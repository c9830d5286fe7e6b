import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { type DataClass, invalidField, validationFailed } from '@svc/contracts';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';

/**
 * This pipe checks bodies and queries against the contract class of their parameter. Bodies arrive here as raw bytes, so that a
 * request without a valid key or subscription is refused before its body is read; unknown fields are refused.
 */
@Injectable()
export class RequestPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (metatype === undefined || metatype === Object) return value;
    if (type === 'body') return check(metatype as DataClass, parseStrictJson(value as Buffer | undefined));
    if (type !== 'query') return value;
    const query = { ...(value as object) };
    assertStorable(query);
    return check(metatype as DataClass, query);
  }
}

function check<T extends object>(type: DataClass<T>, plain: object): T {
  const instance = plainToInstance(type, plain);
  const errors = validateSync(instance, {
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: false,
  });
  if (errors.length > 0) throw validationFailed(errors);
  return instance;
}

/** Deepest nesting a body may have; ours needs three. */
const MAX_DEPTH = 32;
/**
 * Most fields of an object in a body; our widest body has 5 fields, our longest list 9 entries. What checks them takes time quadratic in
 * their number.
 */
const MAX_FIELDS = 64;
const MAX_ENTRIES = 100;
/** A refusal repeats the name of the field. */
const MAX_NAME = 100;
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads a body the way PostgreSQL, the platform and every other reader of ours can: an object, UTF-8, no NUL and no half
 * characters, no depth that overflows a stack, no size that keeps everybody else waiting, no names that reach for a
 * prototype.
 * @throws AppError `VALIDATION_FAILED` with the field and the rule.
 */
export function parseStrictJson(bytes: Buffer | undefined): Record<string, unknown> {
  if (!bytes || bytes.length === 0) return {}; // the rules of the class say which fields are missing
  const text = decode(bytes);
  if (isTooDeep(text)) throw invalidField('body', `body must not be nested deeper than ${MAX_DEPTH} levels`);
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidField('body', 'body must be a JSON object');
  }
  assertStorable(value);
  return value as Record<string, unknown>;
}

/** Refuses strings, names and sizes that are legal in JSON and trouble everywhere else. */
export function assertStorable(value: unknown, path = ''): void {
  if (typeof value === 'string') {
    if (!isStorable(value)) {
      throw invalidField(path, `${path} must not contain NUL characters or half surrogate pairs`);
    }
  } else if (typeof value === 'object' && value !== null) {
    assertSize(value, path || 'body');
    for (const [key, entry] of Object.entries(value)) {
      assertName(key, path || 'body');
      assertStorable(entry, path ? `${path}.${key}` : key);
    }
  }
}

function assertSize(value: object, place: string): void {
  if (Array.isArray(value)) {
    if (value.length > MAX_ENTRIES)
      throw invalidField(place, `${place} must not have more than ${MAX_ENTRIES} entries`);
  } else if (Object.keys(value).length > MAX_FIELDS) {
    throw invalidField(place, `${place} must not have more than ${MAX_FIELDS} fields`);
  }
}

function assertName(name: string, place: string): void {
  // Names such as __proto__, constructor or hasOwnProperty would pass for known fields further down.
  if (name.length > MAX_NAME || name in Object.prototype || !isStorable(name)) {
    throw invalidField(place, `${place} has a field name that is not allowed`);
  }
}

function isStorable(text: string): boolean {
  return !text.includes('\u0000') && !/\p{Surrogate}/u.test(text);
}

function decode(bytes: Buffer): string {
  try {
    return UTF8.decode(bytes);
  } catch (cause) {
    throw invalidField('body', 'body must be UTF-8', cause);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw invalidField('body', 'body must be valid JSON', cause);
  }
}

const STEPS = new Map([
  ['{', 1],
  ['[', 1],
  ['}', -1],
  [']', -1],
]);

/** Looks before it parses, so that no recursion anywhere behind meets the depth. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i += 1) {
    const character = text.charAt(i);
    if (inString) {
      if (character === '\\') i += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else depth += STEPS.get(character) ?? 0;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}
