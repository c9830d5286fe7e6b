import { type Aspect, ASPECTS, type Hears, HEARS_BY_DEFAULT, type HearsBody } from '@svc/contracts';

/** Aspects that a new endpoint hears. */
export const DEFAULT_ASPECTS: readonly Aspect[] = ASPECTS.filter((aspect) => HEARS_BY_DEFAULT[aspect]);

/** Lists the aspects that are heard after a change. */
export function heardAfter(before: readonly Aspect[], change: HearsBody = {}): Aspect[] {
  return ASPECTS.filter((aspect) => change[aspect] ?? before.includes(aspect));
}

/** Makes of the aspects that are heard what others see of them. */
export function hearsOf(heard: readonly Aspect[]): Hears {
  const [groups, own, changes] = [heard.includes('groups'), heard.includes('own'), heard.includes('changes')];
  return { groups, own, changes };
}
