import { hostname } from 'node:os';
import { MediaStoreConfig } from '@svc/media-store';
import { AllowedOrigins, OwnAddresses } from '@svc/outbound-http';
import {
  configReader,
  ContactHashKey,
  ContactHashKeyPrevious,
  Env,
  SealingKey,
  SealingKeysPrevious,
} from '@svc/service';
import { Type } from 'class-transformer';
import { IsInt, IsOptional, IsString, IsUrl, Length, Max, Min } from 'class-validator';

/** Environment of `assistant`. */
export class AssistantConfig extends MediaStoreConfig {
  @SealingKey('SECRETS_KEY', 'Encrypts the keys of providers at rest')
  secretsKey: string;

  @SealingKeysPrevious('SECRETS_KEY')
  secretsKeysPrevious: string[] = [];

  @ContactHashKey()
  contactHashKey: string;

  @ContactHashKeyPrevious()
  contactHashKeyPrevious?: string;

  @Env('WORKER_NAME', {
    description: 'Name of this process: unique among those alive. Host name and process id by default.',
    example: 'assistant-0',
  })
  @IsString()
  workerName: string = `${hostname()}-${process.pid}`;

  @Env('ASSISTANT_BASE_URL', {
    description:
      'OpenAI-compatible API of the operator, for tenants without a provider of their own. It may be a local one. Left out: such tenants are not answered.',
    example: 'http://models.internal:8000/v1',
  })
  @IsOptional()
  @IsUrl({ require_tld: false, require_protocol: true, protocols: ['http', 'https'] })
  baseUrl?: string;

  @Env('ASSISTANT_MODEL', { description: 'Model of the API of the operator.', example: 'small-model' })
  @IsOptional()
  @IsString()
  @Length(1, 200)
  model?: string;

  @Env('ASSISTANT_KEY', { description: 'Key of the API of the operator, where it wants one.', secret: true })
  @IsOptional()
  @IsString()
  @Length(1, 500)
  key?: string;

  @Env('SANDBOX_LLM_URL', {
    description:
      'Stand-in for models of the simulator, which answers in sandboxes without a provider of their own. Left out: such sandboxes are not answered.',
    example: 'http://simulator:7073/llm/v1',
  })
  @IsOptional()
  @IsUrl({ require_tld: false, require_protocol: true, protocols: ['http', 'https'] })
  sandboxUrl?: string;

  @Env('ASSISTANT_TURNS', {
    description: 'Most turns that this process answers at the same time; the others wait.',
    example: '200',
  })
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(2_000)
  turns: number = 200;

  @Env('ASSISTANT_MODEL_TIMEOUT_MS', {
    description: 'Time that a model may take for one answer, in milliseconds.',
    example: '60000',
  })
  @Type(() => Number)
  @IsInt()
  @Min(1_000)
  @Max(600_000)
  modelTimeoutMs: number = 60_000;

  @AllowedOrigins()
  allowedOrigins: string[] = [];

  @OwnAddresses()
  ownAddresses: string[] = [];
}

/** The only reader of the environment in this app. */
export const readConfig = configReader(AssistantConfig);
