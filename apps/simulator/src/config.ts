import { configReader, Env } from '@svc/service';
import { Type } from 'class-transformer';
import {
  IsIn,
  IsInt,
  IsNotEmpty,
  IsOptional,
  IsString,
  Max,
  Min,
  NotEquals,
  ValidateIf,
} from 'class-validator';

const LARGEST_PORT = 65_535;

/** Environment of the simulator. */
export class SimulatorConfig {
  @Env('SIMULATOR_HOST', { description: 'Address that all ports listen on.', example: '127.0.0.1' })
  @IsString()
  @IsNotEmpty()
  host: string = '127.0.0.1';

  @Env('SIMULATOR_PORT', {
    description: 'Port of the WebSocket endpoint (path /ws/chat). 0: any free one.',
    example: '7070',
  })
  @Type(() => Number)
  @IsInt()
  @Min(0)
  @Max(LARGEST_PORT)
  port: number = 7070;

  @Env('SIMULATOR_CONTROL_PORT', {
    description: 'Port of the control API. 0: any free one.',
    example: '7071',
  })
  @Type(() => Number)
  @IsInt()
  @Min(0)
  @Max(LARGEST_PORT)
  controlPort: number = 7071;

  @Env('SIMULATOR_MEDIA_PORT', {
    description: 'Port of the https host for files; clients are told it. 0: any free one.',
    example: '7072',
  })
  @Type(() => Number)
  @IsInt()
  @Min(0)
  @Max(LARGEST_PORT)
  mediaPort: number = 0;

  @Env('SIMULATOR_LLM_PORT', {
    description: 'Port of the stand-in for language models (path /llm/v1). 0: any free one.',
    example: '7073',
  })
  @Type(() => Number)
  @IsInt()
  @Min(0)
  @Max(LARGEST_PORT)
  llmPort: number = 0;

  @Env('SIMULATOR_CA_FILE', {
    description:
      "File that the certificate of the media host's authority is written to, for those who connect to it; a worker reads it by SANDBOX_PLATFORM_CA_FILE.",
    example: '.data/simulator-ca.pem',
  })
  @IsOptional()
  @IsString()
  caFile?: string;

  @Env('SIMULATOR_TRUST_ROOT_FILE', {
    description:
      'File that the trust root is written to, for those who connect; a worker reads it by SANDBOX_PLATFORM_TRUST_ROOT_FILE.',
    example: '/var/lib/svc/trust-root',
  })
  @IsOptional()
  @IsString()
  trustRootFile?: string;

  @Env('SIMULATOR_SEED', {
    description:
      'Secret words: the trust root, the certificates and the keys of all people follow from them, so whoever knows them speaks for all of these. Unset: drawn at each start.',
    secret: true,
  })
  @ValidateIf(({ stateFile }: SimulatorConfig) => stateFile !== undefined)
  @IsString({
    message: 'seed must be given with SIMULATOR_STATE_FILE: what it keeps is known under the same keys',
  })
  @IsNotEmpty()
  @NotEquals('local platform', { message: 'seed must be a secret: everybody knows this one' })
  seed?: string;

  @Env('SIMULATOR_STATE_FILE', {
    description: 'File that keeps accounts, contacts and linked devices over a restart. Unset: memory only.',
    example: '.data/simulator.ndjson',
  })
  @IsOptional()
  @IsString()
  stateFile?: string;

  @Env('LOG_LEVEL', { description: 'Lowest level that is logged.', example: 'info' })
  @IsIn(['debug', 'info', 'warn', 'error'])
  logLevel: 'debug' | 'info' | 'warn' | 'error' = 'info';
}

export const simulatorConfig = configReader(SimulatorConfig);
