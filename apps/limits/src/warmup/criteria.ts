import { TIER_CAPS } from '@svc/contracts';
import { Env, type EnvOptions } from '@svc/service';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsNumber, Max, Min } from 'class-validator';

/** Tiers that can be left. */
const STEPS = TIER_CAPS.length - 1;

/** A setting for each tier that can be left: four numbers from tier 0 on, or one for all of them. */
export function EnvPerTier(
  name: string,
  options: EnvOptions,
  least: number,
  most: number,
): PropertyDecorator {
  const decorators = [
    Env(name, options),
    Transform(({ value }) => (typeof value === 'string' ? perTier(value) : (value as unknown))),
    IsArray(),
    ArrayMinSize(STEPS, { message: `${name} must be one number, or ${STEPS} separated by commas` }),
    ArrayMaxSize(STEPS, { message: `${name} must be one number, or ${STEPS} separated by commas` }),
    IsNumber({}, { each: true, message: `${name} must hold numbers` }),
    Min(least, { each: true, message: `${name} must not be less than ${least}` }),
    Max(most, { each: true, message: `${name} must not be greater than ${most}` }),
  ];
  return (target, property) => {
    for (const decorate of decorators) decorate(target, property);
  };
}

function perTier(text: string): number[] {
  const values = text.split(',').map((one) => (one.trim() === '' ? NaN : Number(one)));
  return values.length === 1 ? Array<number>(STEPS).fill(values[0] as number) : values;
}

/** What a number has to show before its tier rises. */
export interface Criteria {
  /** Days in the tier. */
  dwellDays: number;
  /** Part of the cap that makes a day count as used. */
  leastUsed: number;
  leastDelivered: number;
  mostFailed: number;
  leastReplied: number;
  /** Unplanned ones, a day on average. */
  mostDisconnects: number;
}

/** Part of the days of the tier that have to be used. */
export const USED_DAYS_PART = 0.5;
/** Health is looked at over so many days at most: what is long past is forgiven. */
export const WINDOW_DAYS = 30;
