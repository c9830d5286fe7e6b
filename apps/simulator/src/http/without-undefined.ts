/** Drops the fields of a body that were not sent: an instance of its class has every field. */
export const withoutUndefined = <T extends object>(body: T): Partial<T> =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)) as Partial<T>;
