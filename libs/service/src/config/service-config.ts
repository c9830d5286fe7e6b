import { Transform, Type } from 'class-transformer';
import { IsIn, IsInt, IsString, Matches, Max, Min } from 'class-validator';
import { Env } from './config.js';
import { NatsConfig } from './nats-config.js';
import { IsSafeDatabase } from './safe-servers.js';

/** `production` is the default: what only development may do needs an explicit word. */
export const MODES = ['production', 'development'] as const;

/** Variables that every service reads; an app's `config.ts` extends it. */
export class ServiceConfig extends NatsConfig {
  @Env('DATABASE_URL', {
    description:
      'PostgreSQL, as the login of this service, which must be a member of the role of its schema; `operator database grant` makes it.',
    example: 'postgres://svc_login:secret@127.0.0.1:5432/svc',
    secret: true,
  })
  @Matches(/^postgres(ql)?:\/\//, { message: 'databaseUrl must start with postgres://' })
  @IsSafeDatabase()
  databaseUrl: string;

  @Env('DATABASE_POOL', {
    description:
      'Most connections of this process to its schema. Services that own partitions have three more for their leases. All processes together stay below max_connections of the server.',
    example: '10',
  })
  @Type(() => Number)
  @IsInt()
  @Min(2)
  @Max(100)
  databasePool: number = 10;

  @Env('PLAINTEXT_HOSTS', {
    description:
      'Hosts of DATABASE_URL and NATS_URL that production may reach without TLS, separated by commas: the operator vouches that nobody listens on the way, as in the network of one Compose file.',
    example: 'postgres,nats',
  })
  @Transform(({ value }) =>
    typeof value === 'string' ? value.split(',').map((host) => host.trim()) : (value as unknown),
  )
  @IsString({ each: true })
  plaintextHosts: string[] = [];

  @Env('SVC_MODE', {
    description: 'development allows local receivers, local platforms and the commands that move time.',
    example: 'production',
  })
  @IsIn(MODES)
  mode: (typeof MODES)[number] = 'production';

  @Env('HOST', { description: 'Address that the ports of this process listen on.', example: '127.0.0.1' })
  @IsString()
  host: string = '127.0.0.1';

  @Env('OPS_PORT', {
    description:
      'HTTP port of whoever runs the installation, never open to the outside: /health/live, /health/ready, /metrics. 0: any free one.',
    example: '8081',
  })
  @Type(() => Number)
  @IsInt()
  @Min(0)
  @Max(65_535)
  opsPort: number = 8081;

  @Env('LOG_LEVEL', { description: 'Lowest level that is logged.', example: 'info' })
  @IsIn(['debug', 'info', 'warn', 'error'])
  logLevel: 'debug' | 'info' | 'warn' | 'error' = 'info';
}
