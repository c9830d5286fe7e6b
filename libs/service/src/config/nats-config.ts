import type { NatsAccess } from '@svc/messaging';
import { Type } from 'class-transformer';
import { IsIn, IsOptional, IsString, Matches, ValidateIf } from 'class-validator';
import { Env } from './config.js';
import { IsNatsWithCredentials, IsSafeNats } from './safe-servers.js';

const PEM = /^-----BEGIN [A-Z ]+-----/;
const SERVERS = /^(nats|tls):\/\/[^\s,@/]+(\s*,\s*(nats|tls):\/\/[^\s,@/]+)*$/;

/** Variables by which a process reaches NATS. */
export class NatsConfig {
  @Env('NATS_URL', {
    description:
      'NATS servers with JetStream, of one cluster, separated by commas. tls:// insists on TLS; nats:// takes TLS where the server offers it.',
    example: 'nats://127.0.0.1:4222',
  })
  @Matches(SERVERS, {
    message:
      'natsUrl must be one or more of nats://host:port or tls://host:port, separated by commas, without user and password',
  })
  @IsSafeNats()
  @IsNatsWithCredentials()
  natsUrl: string;

  @Env('NATS_STREAM_REPLICAS', {
    description:
      'Replicas of the streams where they are created, by servers of a cluster: 3 outlive the loss of one server. Streams that exist stay as they are.',
    example: '3',
  })
  @Type(() => Number)
  @IsIn([1, 3, 5])
  natsStreamReplicas: number = 1;

  @Env('NATS_USER', { description: 'User of this service on the NATS servers.', example: 'api-gateway' })
  @ValidateIf(({ natsPassword }: NatsConfig) => natsPassword !== undefined)
  @IsString({ message: 'natsUser must be given with NATS_PASSWORD' })
  natsUser?: string;

  @Env('NATS_PASSWORD', { description: 'Password of that user.', secret: true })
  @ValidateIf(({ natsUser }: NatsConfig) => natsUser !== undefined)
  @IsString({ message: 'natsPassword must be given with NATS_USER' })
  natsPassword?: string;

  @Env('NATS_CREDS', {
    description:
      'Content of a credentials file, as nsc writes it, in place of user and password; mostly given as NATS_CREDS_FILE.',
    secret: true,
  })
  @IsOptional()
  @Matches(/BEGIN NATS USER JWT/, { message: 'natsCreds must be a credentials file of NATS' })
  natsCreds?: string;

  @Env('NATS_CA', {
    description:
      'Certificates of the authorities that speak for the NATS servers, as PEM. Unset: those that Node trusts.',
    file: true,
  })
  @IsOptional()
  @Matches(PEM, { message: 'natsCa must be a certificate as PEM' })
  natsCa?: string;

  @Env('NATS_CERT', {
    description: 'Certificate by which this service proves who it is to the NATS servers, as PEM.',
    file: true,
  })
  @ValidateIf(({ natsKey }: NatsConfig) => natsKey !== undefined)
  @Matches(PEM, { message: 'natsCert must be a certificate as PEM, given with NATS_KEY' })
  natsCert?: string;

  @Env('NATS_KEY', { description: 'Key of that certificate, as PEM.', secret: true })
  @ValidateIf(({ natsCert }: NatsConfig) => natsCert !== undefined)
  @Matches(PEM, { message: 'natsKey must be a key as PEM, given with NATS_CERT' })
  natsKey?: string;
}

/** Picks what a client of NATS needs out of the configuration. */
export function natsAccess(config: NatsConfig): NatsAccess {
  return {
    url: config.natsUrl,
    user: config.natsUser,
    password: config.natsPassword,
    credentials: config.natsCreds,
    ca: config.natsCa,
    certificate: config.natsCert,
    key: config.natsKey,
  };
}
