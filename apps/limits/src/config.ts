import {
  configReader,
  ContactHashKey,
  ContactHashKeyPrevious,
  Env,
  EnvNumbers,
  ServiceConfig,
} from '@svc/service';
import { Type } from 'class-transformer';
import { IsInt, Max, Min } from 'class-validator';
import { type Criteria, STEPS } from './warmup/criteria.js';

const PER_TIER = 'One number, or four separated by commas for the tiers 0 to 3.';
const forAll = (value: number): number[] => [value, value, value, value];

/** Environment of `limits`. */
export class LimitsConfig extends ServiceConfig {
  @ContactHashKey()
  contactHashKey: string;

  @Env('CONTACT_HASH_KEY_VERSION', {
    description: 'Version of CONTACT_HASH_KEY, one more with each change.',
    example: '1',
  })
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(32_767)
  contactHashKeyVersion: number = 1;

  @ContactHashKeyPrevious()
  contactHashKeyPrevious?: string;

  @EnvNumbers(
    'WARMUP_DWELL_DAYS',
    { description: `Days that a number stays in a tier at least. ${PER_TIER}`, example: '3,7,14,30' },
    STEPS,
    { least: 3, most: 30 },
  )
  dwellDays: number[] = [3, 7, 14, 30];

  @EnvNumbers(
    'WARMUP_LEAST_USED',
    {
      description: `Part of its cap that a number sends on a day that counts as used; half of the days in the tier have to. ${PER_TIER}`,
      example: '0.5',
    },
    STEPS,
    { least: 0, most: 1 },
  )
  leastUsed: number[] = forAll(0.5);

  @EnvNumbers(
    'WARMUP_LEAST_DELIVERED',
    {
      description: `Part of what was sent that is delivered a day later, proven with nine in ten confidence. ${PER_TIER}`,
      example: '0.9',
    },
    STEPS,
    { least: 0, most: 1 },
  )
  leastDelivered: number[] = forAll(0.9);

  @EnvNumbers(
    'WARMUP_MOST_FAILED',
    {
      description: `Part of what was sent that may fail at the platform, not exceeded with nine in ten confidence. ${PER_TIER}`,
      example: '0.03',
    },
    STEPS,
    { least: 0, most: 1 },
  )
  mostFailed: number[] = forAll(0.03);

  @EnvNumbers(
    'WARMUP_LEAST_REPLIED',
    {
      description: `Part of the contacts written to that answer, proven with nine in ten confidence. ${PER_TIER}`,
      example: '0.15',
    },
    STEPS,
    { least: 0, most: 1 },
  )
  leastReplied: number[] = forAll(0.15);

  @EnvNumbers(
    'WARMUP_MOST_DISCONNECTS',
    { description: `Unplanned disconnects a day, on average. ${PER_TIER}`, example: '1' },
    STEPS,
    { least: 0, most: 1_000 },
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
  intervalMs: number = 10_000;

  /** Lists the criteria that a number of this tier has to meet. */
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
