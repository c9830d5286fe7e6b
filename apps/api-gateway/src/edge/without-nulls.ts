type NonNullFields<T> = { [K in keyof T]?: NonNullable<T[K]> };

/** Drops the fields that are null or undefined: null means the same as left out, here as everywhere. */
export function withoutNulls<T extends object>(fields: T): NonNullFields<T> {
  const entries = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(entries) as NonNullFields<T>;
}
