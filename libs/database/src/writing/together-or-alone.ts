import { isOfContent } from '../refusal.js';

/**
 * Handles items of many tenants in one go; where one of them is refused for its content's sake, each on its own: a sick one must not take
 * the others along. What a single one is refused with goes to `onRefused`.
 * @returns the results of what was handled, one for each go.
 * @throws every other error, as of a database that is away; then some of the items may have been handled.
 */
export async function togetherOrAlone<T, R>(
  items: T[],
  handle: (items: T[]) => Promise<R>,
  onRefused: (item: T, error: unknown) => void | Promise<void>,
): Promise<R[]> {
  const [first] = items;
  if (first === undefined) return [];
  try {
    return [await handle(items)];
  } catch (error) {
    if (!isOfContent(error)) throw error;
    if (items.length === 1) {
      await onRefused(first, error);
      return [];
    }
  }
  const results: R[] = [];
  for (const item of items) results.push(...(await togetherOrAlone([item], handle, onRefused)));
  return results;
}
