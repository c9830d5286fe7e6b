const UNSTORABLE = /[\u0000\p{Surrogate}]/gu;

/**
 * Replaces, in every text of a value, the characters that PostgreSQL cannot keep, NUL and half surrogate pairs, with U+FFFD. Strangers send
 * them; a text that cannot be stored would come back for ever. What comes from outside goes through it once, where it is first turned into
 * a row or an event. Numbers that JSON does not know become null. Bytes and dates stay as they are. A value that needs nothing, as nearly
 * every one, is given back itself.
 */
export function storable<T>(value: T): T {
  return isStorable(value) ? value : (replaceIn(value) as T);
}

function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  if (typeof value === 'number') return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isStorable);
  if (typeof value !== 'object' || value === null || isWhole(value)) return true;
  const fields = value as Record<string, unknown>;
  return Object.keys(fields).every((key) => isStorable(key) && isStorable(fields[key]));
}

function replaceIn(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(UNSTORABLE, '\ufffd');
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (Array.isArray(value)) return value.map(replaceIn);
  if (typeof value !== 'object' || value === null || isWhole(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [replaceIn(key), replaceIn(entry)]));
}

/** Bytes and dates hold no text. */
const isWhole = (value: object): boolean => ArrayBuffer.isView(value) || value instanceof Date;
