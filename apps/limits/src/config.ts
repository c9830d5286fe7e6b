import { configReader, Env, ServiceConfig } from '@svc/service';
import { Type } from 'class-transformer';
import { IsInt, Max, Min } from 'class-validator';
import { type Criteria, EnvPerTier } from './warmup/criteria.js';

const PER_TIER = 'One number, or four separated by commas for the tiers 0 to 3.';
const forAll = (value: number): number[] => [value, value, value, value];

/** What `limits` reads from its environment. */
export class LimitsConfig extends ServiceConfig {
  @EnvPerTier(
    'WARMUP_DWELL_DAYS',
    { description: `Days that a number stays in a tier at least. ${PER_TIER}`, example: '3,7,14,30' },
    3,
    30,
  )
  dwellDays: number[] = [3, 7, 14, 30];

  @EnvPerTier(
    'WARMUP_LEAST_USED',
    {
      description: `Part of its cap that a number sends on a day that counts as used; half of the days in the tier have to. ${PER_TIER}`,
      example: '0.5',
    },
    0,
    1,
  )
  leastUsed: number[] = forAll(0.5);

  @EnvPerTier(
    'WARMUP_LEAST_DELIVERED',
    {
      description: `Part of what was sent that is delivered a day later, proven with nine in ten confidence. ${PER_TIER}`,
      example: '0.9',
    },
    0,
    1,
  )
  leastDelivered: number[] = forAll(0.9);

  @EnvPerTier(
    'WARMUP_MOST_FAILED',
    {
      description: `Part of what was sent that may fail at the platform, not exceeded with nine in ten confidence. ${PER_TIER}`,
      example: '0.03',
    },
    0,
    1,
  )
  mostFailed: number[] = forAll(0.03);

  @EnvPerTier(
    'WARMUP_LEAST_REPLIED',
    {
      description: `Part of the contacts written to that answer, proven with nine in ten confidence. ${PER_TIER}`,
      example: '0.15',
    },
    0,
    1,
  )
  leastReplied: number[] = forAll(0.15);

  @EnvPerTier(
    'WARMUP_MOST_DISCONNECTS',
    { description: `Unplanned disconnects a day, on average. ${PER_TIER}`, example: '1' },
    0,
    1_000,
  )
  mostDisconnects: number[] = forAll(1);

  @Env('WARMUP_LOOK_MS', {
    description:
      'How often it is looked for numbers whose hour has come; each is judged once an hour of its tenant.',
    example: '10000',
  })
  @Type(() => Number)
  @IsInt()
  @Min(100)
  @Max(600_000)
  lookMs: number = 10_000;

  /** What a number of this tier has to show. */
  criteriaOf(tier: number): Criteria {
    const of = (values: number[]): number => values[tier] ?? NaN;
    return {
      dwellDays: of(this.dwellDays),
      leastUsed: of(this.leastUsed),
      leastDelivered: of(this.leastDelivered),
      mostFailed: of(this.mostFailed),
      leastReplied: of(this.leastReplied),
      mostDisconnects: of(this.mostDisconnects),
    };
  }
}

/** The only reader of the environment in this app. */
export const readConfig = configReader(LimitsConfig);
