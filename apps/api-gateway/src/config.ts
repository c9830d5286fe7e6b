import { AddressList, AllowedOrigins, OwnAddresses } from '@svc/outbound-http';
import { MediaStoreConfig } from '@svc/media-store';
import { configReader, ContactHashKey, ContactHashKeyPrevious, Env, IsRandomKey } from '@svc/service';
import { Type } from 'class-transformer';
import { IsInt, IsOptional, IsUrl, Length, Matches, Max, Min, MinLength, ValidateBy } from 'class-validator';
import { isLikePlatform } from './tenants/platform-names.js';

const IsNotLikePlatform = (): PropertyDecorator =>
  ValidateBy({
    name: 'isNotLikePlatform',
    validator: {
      validate: (name) => typeof name === 'string' && !isLikePlatform(name),
      defaultMessage: () => '$property must not be like the name of the platform',
    },
  });

/** Environment of `api-gateway`. */
export class GatewayConfig extends MediaStoreConfig {
  @Env('PORT', { description: 'HTTP port of the API. 0: any free one.', example: '8080' })
  @Type(() => Number)
  @IsInt()
  @Min(0)
  @Max(65_535)
  port: number = 8080;

  @Env('PRE_STOP_MS', {
    description:
      'How long requests are still answered after SIGTERM, while /health/ready is 503: longer than a load balancer takes to see that. 0 where none is in front.',
    example: '5000',
  })
  @Type(() => Number)
  @IsInt()
  @Min(0)
  @Max(60_000)
  preStopMs: number = 5_000;

  @Env('GATEWAY_PUBLIC_URL', {
    description: 'Address under which customers reach the API; shown in the OpenAPI description.',
    example: 'https://api.example.com',
  })
  @IsOptional()
  @IsUrl({ require_tld: false, require_protocol: true, protocols: ['http', 'https'] })
  publicUrl?: string;

  @AllowedOrigins()
  allowedOrigins: string[] = [];

  @OwnAddresses()
  ownAddresses: string[] = [];

  @AddressList('TRUSTED_PROXIES', {
    description:
      'Addresses and networks of the proxies in front of the API: whom one of them names in X-Forwarded-For is who asks, for the bounds of the public widget and the last address of a key. Unset: nobody is believed.',
    example: '10.0.0.0/8,fd00::/8',
  })
  trustedProxies: string[] = [];

  @Env('KEY_PEPPER', {
    description:
      'Secret that API keys are hashed with, 32 characters or more. Losing it invalidates every key.',
    secret: true,
  })
  @MinLength(32)
  @IsRandomKey()
  keyPepper: string;

  @Env('KEY_PEPPER_VERSION', {
    description: 'Version of KEY_PEPPER, one more with each change; new keys are stored under it.',
    example: '1',
  })
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(32_767)
  keyPepperVersion: number = 1;

  @Env('KEY_PEPPER_PREVIOUS', {
    description:
      'The pepper of the version before, or of the next one: keys hashed with it keep working, and are hashed anew when they are used.',
    secret: true,
  })
  @IsOptional()
  @MinLength(32)
  keyPepperPrevious?: string;

  @ContactHashKey()
  contactHashKey: string;

  @ContactHashKeyPrevious()
  contactHashKeyPrevious?: string;

  @Env('CHAT_LINK_URL', {
    description:
      'What the platform’s links to a chat begin with; digits of the number follow. The public widget shows such links.',
    example: 'https://wa.me/',
  })
  @Matches(/^https:\/\/\S+\/$/, { message: 'chatLinkUrl must be https:// with a slash at its end' })
  chatLinkUrl: string = 'https://wa.me/';

  @Env('INSTALLATION_NAME', {
    description:
      'Name of who runs this installation, as people know it: it stands on every link page, beside the name of the tenant. Unset: there are no link pages.',
    example: 'Example Messaging',
  })
  @IsOptional()
  @Length(1, 60)
  @IsNotLikePlatform()
  installationName?: string;

  @Env('LINK_HELPER_URL', {
    description:
      'Where people get the browser helper for passkeys (`apps/link-helper`): link pages lead there. Unset: they are told to ask whoever sent the link.',
    example: 'https://www.example.com/link-helper',
  })
  @IsOptional()
  @IsUrl({ require_tld: false, require_protocol: true, protocols: ['http', 'https'] })
  linkHelperUrl?: string;

  @Env('SANDBOX_CONTROL_URL', {
    description:
      'Control API of the simulator that is the platform of sandbox sessions; never open to the outside. Unset: there is no sandbox.',
    example: 'http://simulator:7071',
  })
  @IsOptional()
  @IsUrl({ require_tld: false, require_protocol: true, protocols: ['http', 'https'] })
  sandboxControlUrl?: string;

  @Env('REQUESTS_PER_SECOND', {
    description:
      'Requests a second that one API key may make on each replica; a second of them may come at once. 0: any number.',
    example: '1000',
  })
  @Type(() => Number)
  @IsInt()
  @Min(0)
  @Max(1_000_000)
  requestsPerSecond: number = 1_000;

  @Env('EVENT_STREAMS_PER_TENANT', {
    description:
      'Event streams that a tenant may have open at once on each replica; one API key may have half of them.',
    example: '20',
  })
  @Type(() => Number)
  @IsInt()
  @Min(2)
  @Max(10_000)
  eventStreamsPerTenant: number = 20;

  @Env('EVENT_STREAMS', {
    description: 'Event streams that may be open at once on each replica, of all tenants.',
    example: '2000',
  })
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(100_000)
  eventStreams: number = 2_000;
}

/** The only reader of the environment in this app. */
export const readConfig = configReader(GatewayConfig);
