import { hostname } from 'node:os';
import { AllowedOrigins, OwnAddresses } from '@svc/outbound-http';
import {
  configReader,
  ContactHashKey,
  ContactHashKeyPrevious,
  Env,
  SealingKey,
  SealingKeysPrevious,
  ServiceConfig,
} from '@svc/service';
import { Transform, Type } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsInt, IsString, Max, Min, ValidateBy } from 'class-validator';

/** Environment of `webhook-dispatcher`. */
export class DispatcherConfig extends ServiceConfig {
  @SealingKey('SECRETS_KEY', 'Encrypts the secrets of endpoints at rest')
  secretsKey: string;

  @SealingKeysPrevious('SECRETS_KEY')
  secretsKeysPrevious: string[] = [];

  @ContactHashKey()
  contactHashKey: string;

  @ContactHashKeyPrevious()
  contactHashKeyPrevious?: string;

  @Env('WORKER_NAME', {
    description:
      'Name of this process: unique among those alive, best the same after a restart. Host name and process id by default.',
    example: 'webhook-dispatcher-0',
  })
  @IsString()
  workerName: string = `${hostname()}-${process.pid}`;

  @Env('WEBHOOK_RETRY_DELAYS_MS', {
    description:
      'Delay before each attempt, from the end of the one before; as many attempts as there are delays.',
    example: '0,30000,120000,600000,3600000',
  })
  @Transform(({ value }) => (typeof value === 'string' ? value.split(',').map(Number) : (value as unknown)))
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(5)
  @IsInt({ each: true })
  @Min(0, { each: true })
  @ValidateBy({
    name: 'startsAtOnce',
    validator: {
      validate: (value: unknown) => Array.isArray(value) && value[0] === 0,
      defaultMessage: () => 'retryDelaysMs must begin with 0: the first attempt is made at once',
    },
  })
  retryDelaysMs: number[] = [0, 30_000, 120_000, 600_000, 3_600_000];

  @Env('WEBHOOK_TIMEOUT_MS', {
    description: 'Longest that one attempt may last, from the connection to the end of the answer.',
    example: '10000',
  })
  @Type(() => Number)
  @IsInt()
  @Min(100)
  @Max(10_000, {
    message: 'timeoutMs must not be greater than 10000: a lease outlives an attempt by 2 seconds',
  })
  timeoutMs: number = 10_000;

  @Env('WEBHOOK_HOLD_DAYS', {
    description:
      'Days that deliveries are held for an endpoint that is not active, before they become dead letters.',
    example: '3',
  })
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(30)
  holdDays: number = 3;

  @Env('WEBHOOK_HOLD_LIMIT', {
    description: 'Most deliveries that are held for one endpoint: beyond it the oldest become dead letters.',
    example: '100000',
  })
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(1_000_000)
  holdLimit: number = 100_000;

  @Env('RETENTION_DAYS', {
    description: 'How long events are kept, with their payloads and the attempts made for them.',
    example: '30',
  })
  @Type(() => Number)
  @IsInt()
  // The events that the stream may hand out once more, for a day, must still be in the log.
  @Min(2)
  retentionDays: number = 30;

  @Env('DEAD_LETTER_DAYS', {
    description: 'How long dead letters are kept, each with its event and its attempts.',
    example: '90',
  })
  @Type(() => Number)
  @IsInt()
  @Min(1)
  deadLetterDays: number = 90;

  @AllowedOrigins()
  allowedOrigins: string[] = [];

  @OwnAddresses()
  ownAddresses: string[] = [];
}

/** The only reader of the environment in this app. */
export const readConfig = configReader(DispatcherConfig);
