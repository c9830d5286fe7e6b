import { MOST_SESSIONS, PLANS, TOKEN_BLOCK, TOKEN_OVERAGES, type TokenOverage } from '@svc/contracts';
import { configReader, Env, EnvNumbers, EnvWords, ServiceConfig } from '@svc/service';
import { Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsInt,
  IsOptional,
  IsUrl,
  Matches,
  Max,
  Min,
  ValidateIf,
} from 'class-validator';

/** Values of all plans stand in the order of `PLANS`: STARTER, GROWTH, ENTERPRISE. */
const PER_PLAN = `One value, or three separated by commas for ${PLANS.join(', ')}.`;
const list = ({ value }: { value: unknown }): unknown =>
  typeof value === 'string' ? value.split(',').map((one) => one.trim()) : value;

/** Environment of `billing`. */
export class BillingConfig extends ServiceConfig {
  @Env('PAST_DUE_GRACE_DAYS', {
    description: 'Days that a tenant whose payment is overdue may go on.',
    example: '7',
  })
  @Type(() => Number)
  @IsInt()
  @Min(0)
  @Max(90)
  graceDays: number = 7;

  @EnvNumbers(
    'SESSIONS_INCLUDED',
    { description: `Sessions that a plan has. ${PER_PLAN}`, example: '1,5,20' },
    PLANS.length,
    { least: 0, most: MOST_SESSIONS },
  )
  @IsInt({ each: true, message: 'SESSIONS_INCLUDED must hold whole numbers' })
  sessions: number[] = [1, 5, 20];

  @EnvNumbers(
    'MESSAGES_PER_DAY',
    { description: `Messages a UTC day that a plan has. ${PER_PLAN}`, example: '1000,10000,100000' },
    PLANS.length,
    { least: 0, most: 1_000_000_000 },
  )
  @IsInt({ each: true, message: 'MESSAGES_PER_DAY must hold whole numbers' })
  messagesPerDay: number[] = [1_000, 10_000, 100_000];

  @EnvNumbers(
    'LLM_CALLS_PER_DAY',
    {
      description: `Calls of a language model a UTC day that a plan has, for answers of MANAGED sessions. ${PER_PLAN}`,
      example: '500,5000,50000',
    },
    PLANS.length,
    { least: 0, most: 1_000_000_000 },
  )
  @IsInt({ each: true, message: 'LLM_CALLS_PER_DAY must hold whole numbers' })
  callsPerDay: number[] = [500, 5_000, 50_000];

  @EnvNumbers(
    'TOKENS_INCLUDED',
    { description: `Tokens a month that a plan includes. ${PER_PLAN}`, example: '5000000,20000000,70000000' },
    PLANS.length,
    { least: 0, most: Number.MAX_SAFE_INTEGER },
  )
  @IsInt({ each: true, message: 'TOKENS_INCLUDED must hold whole numbers' })
  tokensIncluded: number[] = [5_000_000, 20_000_000, TOKEN_BLOCK];

  @EnvWords(
    'TOKEN_OVERAGE',
    {
      description: `Once they are used up: bill by the block, or block the assistant, and sends of MANAGED sessions, until the month ends. ${PER_PLAN} Left out: block for STARTER, bill for the others; tenants from before that go on being billed.`,
      example: 'bill',
    },
    PLANS.length,
    TOKEN_OVERAGES,
  )
  @IsOptional()
  tokenOverage?: TokenOverage[];

  @EnvNumbers(
    'STORAGE_INCLUDED',
    {
      description: `Bytes of files that a plan keeps: of uploads, and as many again of files that arrived. ${PER_PLAN}`,
      example: '5000000000,50000000000,500000000000',
    },
    PLANS.length,
    { least: 0, most: Number.MAX_SAFE_INTEGER },
  )
  @IsInt({ each: true, message: 'STORAGE_INCLUDED must hold whole numbers' })
  storageIncluded: number[] = [5e9, 50e9, 500e9];

  @EnvNumbers(
    'REQUEST_PACE',
    {
      description: `Requests a second that all keys of a tenant together may make on each replica of the gateway. ${PER_PLAN}`,
      example: '1000',
    },
    PLANS.length,
    { least: 0, most: 1_000_000 },
  )
  @IsInt({ each: true, message: 'REQUEST_PACE must hold whole numbers' })
  requestPace: number[] = [1_000, 1_000, 1_000];

  @EnvNumbers(
    'ENDPOINTS_INCLUDED',
    { description: `Tenant-wide webhook endpoints that a tenant may have. ${PER_PLAN}`, example: '50' },
    PLANS.length,
    { least: 0, most: 10_000 },
  )
  @IsInt({ each: true, message: 'ENDPOINTS_INCLUDED must hold whole numbers' })
  endpointsIncluded: number[] = [50, 50, 50];

  @EnvNumbers(
    'KEYS_INCLUDED',
    {
      description: `API keys that work at the same time, each with those that it has replaced. ${PER_PLAN}`,
      example: '100',
    },
    PLANS.length,
    { least: 0, most: 10_000 },
  )
  @IsInt({ each: true, message: 'KEYS_INCLUDED must hold whole numbers' })
  keysIncluded: number[] = [100, 100, 100];

  @EnvNumbers(
    'WIDGETS_INCLUDED',
    { description: `Widgets that a tenant may have. ${PER_PLAN}`, example: '100' },
    PLANS.length,
    { least: 0, most: 10_000 },
  )
  @IsInt({ each: true, message: 'WIDGETS_INCLUDED must hold whole numbers' })
  widgetsIncluded: number[] = [100, 100, 100];

  @EnvNumbers(
    'SCHEDULED_INCLUDED',
    { description: `Messages that may wait for their time. ${PER_PLAN}`, example: '10000' },
    PLANS.length,
    { least: 0, most: 1_000_000 },
  )
  @IsInt({ each: true, message: 'SCHEDULED_INCLUDED must hold whole numbers' })
  scheduledIncluded: number[] = [10_000, 10_000, 10_000];

  @Env('STRIPE_SECRET_KEY', {
    description:
      'Key of the Stripe account that takes the payments. Left out: plans are set by the operator.',
    example: 'sk_test_<key>',
    secret: true,
  })
  @IsOptional()
  @Matches(/^(sk|rk)_(test|live)_/, { message: 'STRIPE_SECRET_KEY must be a secret or restricted key' })
  stripeKey?: string;

  @Env('STRIPE_WEBHOOK_SECRETS', {
    description:
      'Signing secret of the webhook at `<public URL>/webhooks/stripe`; two, separated by a comma, while it is rotated.',
    example: 'whsec_<secret>',
    secret: true,
  })
  @ValidateIf(({ stripeKey }: BillingConfig) => stripeKey !== undefined)
  @Transform(list)
  @ArrayMinSize(1)
  @ArrayMaxSize(2)
  @Matches(/^whsec_/, { each: true, message: 'STRIPE_WEBHOOK_SECRETS must begin with whsec_' })
  stripeWebhookSecrets?: string[];

  @Env('STRIPE_PRICES', {
    description: `Ids of the recurring prices of ${PLANS.join(', ')}, separated by commas; further ones of a plan, which older subscriptions have, behind a |.`,
    example: 'price_a,price_b,price_c',
  })
  @ValidateIf(({ stripeKey }: BillingConfig) => stripeKey !== undefined)
  @Transform(list)
  @ArrayMinSize(PLANS.length)
  @ArrayMaxSize(PLANS.length)
  @Matches(/^\w+(\|\w+)*$/, { each: true, message: 'STRIPE_PRICES must hold ids of prices' })
  stripePrices?: string[];

  @Env('STRIPE_API_URL', {
    description: 'Where the API of Stripe is asked, for a proxy or a stand-in.',
    example: 'https://api.stripe.com',
  })
  @IsUrl({ require_tld: false, require_protocol: true, protocols: ['http', 'https'] })
  stripeUrl: string = 'https://api.stripe.com';

  @Env('BILLING_RETURN_URL', {
    description: 'Page to which Stripe sends people back after they paid or changed their plan.',
    example: 'https://gateway.example.com',
  })
  @ValidateIf(({ stripeKey }: BillingConfig) => stripeKey !== undefined)
  @IsUrl({ require_tld: false, require_protocol: true, protocols: ['http', 'https'] })
  returnUrl?: string;
}

/** The only reader of the environment in this app. */
export const readConfig = configReader(BillingConfig);
