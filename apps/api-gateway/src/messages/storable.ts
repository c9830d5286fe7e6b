/**
 * Replaces characters that PostgreSQL cannot keep: NUL and half surrogate pairs. Contacts can send
 * them, and a message that cannot be stored would come back for ever.
 */
export function storable<T>(value: T): T {
  return replaceIn(value) as T;
}

function replaceIn(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/[\u0000\p{Surrogate}]/gu, '\ufffd');
  if (Array.isArray(value)) return value.map(replaceIn);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, replaceIn(entry)]));
}
