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
import { IsInt, IsOptional, IsString, Length, Matches, Min, ValidateIf } from 'class-validator';
import { IsDeviceName } from './platform/device-name.js';
import { PlatformCa } from './platform/platform-ca.js';
import { IsPlatformUrl, IsSandboxUrl, IsVersionSources } from './platform/platform-url.js';

const MINUTE_MS = 60_000;

/** Holds what `session-worker` reads from its environment. */
export class WorkerConfig extends MediaStoreConfig {
  override databasePool: number = 20;

  @Env('PLATFORM_URL', {
    description: 'WebSocket of the platform. wss:// only, except for a loopback address in development.',
    example: 'wss://web.whatsapp.com/ws/chat',
  })
  @IsPlatformUrl()
  platformUrl: string = 'wss://web.whatsapp.com/ws/chat';

  @Env('PLATFORM_TRUST_ROOT', {
    description:
      "32-byte public key in hex that replaces the library's trust root. Unset: the library's own.",
  })
  @IsOptional()
  @Matches(/^[0-9a-f]{64}$/i, { message: 'platformTrustRoot must be 32 bytes in hex' })
  platformTrustRoot?: string;

  @PlatformCa('PLATFORM_CA', 'of the platform')
  platformCa?: string;

  @Env('PLATFORM_VERSION', {
    description:
      'Revision of the client that sessions name to the platform. auto: the latest one that one session has tried. A number: that one, and nothing is read.',
    example: 'auto',
  })
  @Matches(/^(auto|[1-9]\d{9})$/, { message: 'platformVersion must be auto or a revision of ten digits' })
  platformVersion: string = 'auto';

  @Env('PLATFORM_VERSION_SOURCES', {
    description:
      'Where the latest revision is read once a day, separated by commas: web pages (https:, or http: on loopback), or files (file:) where the network reaches none. Unset: /sw.js and / of the host of PLATFORM_URL.',
    example: 'file:///etc/gateway/platform-revision',
  })
  @IsOptional()
  @IsVersionSources()
  platformVersionSources?: string[];

  @Env('SANDBOX_PLATFORM_URL', {
    description:
      'WebSocket of the simulator that is the platform of sandbox sessions. Unset: there is no sandbox.',
    example: 'ws://simulator:7070/ws/chat',
  })
  @IsOptional()
  @IsSandboxUrl()
  sandboxPlatformUrl?: string;

  @Env('SANDBOX_PLATFORM_TRUST_ROOT', {
    description:
      '32-byte public key of that simulator in hex; sandbox sessions trust it, and live ones never do.',
    file: true,
  })
  @ValidateIf(({ sandboxPlatformUrl }: WorkerConfig) => sandboxPlatformUrl !== undefined)
  @Matches(/^[0-9a-f]{64}$/i, { message: 'sandboxPlatformTrustRoot must be 32 bytes in hex' })
  sandboxPlatformTrustRoot?: string;

  @PlatformCa('SANDBOX_PLATFORM_CA', 'of that simulator')
  sandboxPlatformCa?: string;

  @SealingKey('CREDENTIALS_KEY', 'Encrypts the credentials and keys of sessions at rest')
  credentialsKey: string;

  @SealingKeysPrevious('CREDENTIALS_KEY')
  credentialsKeysPrevious: string[] = [];

  @ContactHashKey()
  contactHashKey: string;

  @ContactHashKeyPrevious()
  contactHashKeyPrevious?: string;

  @Env('WORKER_NAME', {
    description: 'Name of this worker: unique among the live ones, kept over a restart, e.g. the pod name.',
    example: 'session-worker-7f9c-x2x4k',
  })
  @IsString()
  @Length(1, 200)
  workerName: string = hostname();

  @Env('LEASE_MS', {
    description:
      'How long a lease of a partition lasts: renewed every third of it, given up after two thirds without renewal.',
    example: '15000',
  })
  @Type(() => Number)
  @IsInt()
  @Min(1_500)
  leaseMs: number = 15_000;

  @Env('SEND_EXPIRY_MS', {
    description: 'How long an accepted message may wait for its session before it fails as EXPIRED.',
    example: '600000',
  })
  @Type(() => Number)
  @IsInt()
  @Min(1_000)
  sendExpiryMs: number = 10 * MINUTE_MS;

  @Env('ACK_TIMEOUT_MS', {
    description: "How long to wait for the platform's acknowledgement of a message before it is sent again.",
    example: '20000',
  })
  @Type(() => Number)
  @IsInt()
  @Min(100)
  ackTimeoutMs: number = 20_000;

  @Env('QR_LOOK_MS', {
    description: 'How long a look at the QR code counts: without another one, the session rests.',
    example: '180000',
  })
  @Type(() => Number)
  @IsInt()
  @Min(1_000)
  qrLookMs: number = 3 * MINUTE_MS;

  @Env('LINK_TIMEOUT_MS', {
    description:
      'How long a session shows QR codes after a wish to be connected, however often somebody looks.',
    example: '600000',
  })
  @Type(() => Number)
  @IsInt()
  @Min(1_000)
  linkTimeoutMs: number = 10 * MINUTE_MS;

  @Env('RETENTION_DAYS', {
    description: 'How long the journal of inbound messages and finished sends are kept, with their texts.',
    example: '30',
  })
  @Type(() => Number)
  @IsInt()
  @Min(1)
  retentionDays: number = 30;

  @Env('MEDIA_MAX_BYTES', {
    description: 'Largest file of an inbound message that is kept; the event of a larger one says TOO_LARGE.',
    example: '100000000',
  })
  @Type(() => Number)
  @IsInt()
  @Min(1)
  mediaMaxBytes: number = 100_000_000;

  @Env('MEDIA_TIMEOUT_MS', {
    description:
      'How long one download of a file may take, and how long a message waits for another try before it is told without its file.',
    example: '60000',
  })
  @Type(() => Number)
  @IsInt()
  @Min(1_000)
  mediaTimeoutMs: number = MINUTE_MS;

  @Env('MEDIA_DOWNLOADS', {
    description: 'How many files of inbound messages are fetched at the same time.',
    example: '8',
  })
  @Type(() => Number)
  @IsInt()
  @Min(1)
  mediaDownloads: number = 8;

  @Env('MEDIA_UPLOADS', {
    description:
      'How many files of outbound messages are on their way to the platform at the same time; the others wait their turn.',
    example: '64',
  })
  @Type(() => Number)
  @IsInt()
  @Min(1)
  mediaUploads: number = 64;

  @Env('LOGIN_TIMEOUT_MS', {
    description: 'How long a socket may take to show a QR code or to log in before it is given up.',
    example: '30000',
  })
  @Type(() => Number)
  @IsInt()
  @Min(500)
  loginTimeoutMs: number = 30_000;

  @Env('LOGINS_AT_ONCE', {
    description:
      'How many sessions of this worker may be logging in at the same time; the others wait their turn.',
    example: '16',
  })
  @Type(() => Number)
  @IsInt()
  @Min(1)
  loginsAtOnce: number = 16;

  @Env('DEVICE_NAME', {
    description:
      'Name under which phones list a device that was linked by QR code. Unset, and with a typed code: that of a common system.',
    example: 'Acme Gateway',
  })
  @IsOptional()
  @IsDeviceName()
  deviceName?: string;

  @Env('KEEP_ALIVE_MS', {
    description:
      'How often the platform is pinged. A session that has heard nothing for 10 s longer is connected anew.',
    example: '15000',
  })
  @Type(() => Number)
  @IsInt()
  @Min(500)
  keepAliveMs: number = 15_000;

  @AllowedOrigins()
  allowedOrigins: string[] = [];

  @OwnAddresses()
  ownAddresses: string[] = [];

  @Env('MEDIA_SEND_TIMEOUT_MS', {
    description:
      'How long one try to fetch the file of an outbound message and to hand it to the platform may last.',
    example: '60000',
  })
  @Type(() => Number)
  @IsInt()
  @Min(100)
  mediaSendTimeoutMs: number = 60_000;

  @Env('STALL_TIMEOUT_MS', {
    description: 'How long messages may stand still in a session, in or out, before it is connected anew.',
    example: '40000',
  })
  @Type(() => Number)
  @IsInt()
  @Min(1_000)
  stallTimeoutMs: number = 40_000;
}

/** The only reader of the environment in this app. */
export const readConfig = configReader(WorkerConfig);

/** Has everything in this process that makes temporary files make them here. */
export function useTemporaryFolder(path: string): void {
  process.env['TMPDIR'] = path;
}
