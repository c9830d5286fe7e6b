type Given<T> = { [K in keyof T]?: NonNullable<T[K]> };

/** The fields that are given: null means the same as left out, here as everywhere. */
export function withoutNulls<T extends object>(fields: T): Given<T> {
  const entries = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(entries) as Given<T>;
}
