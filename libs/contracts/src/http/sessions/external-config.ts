import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayNotEmpty,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsObject,
  IsOptional,
  IsString,
  Length,
  ValidateNested,
} from 'class-validator';
import {
  type Answerer,
  BOT_MODES,
  type BotMode,
  ENDPOINT_STATUSES,
  type EndpointStatus,
  PAUSE_REASONS,
  type PauseReason,
  type Scope,
  SCOPES,
} from '../../enums.js';
import { PUBLIC_EVENTS, type PublicEvent } from '../../events/events.js';
import { EventsProperty, Hears, type HearsBody, HearsProperty } from '../webhooks/hears.js';
import { AnswersProperty } from './answers-property.js';
import { Failover } from './failover.js';

/** Body of `PUT /v1/sessions/:id/external-config` (specification, "Session bot mode"). */
export class PutExternalConfigBody {
  @ApiProperty({
    description:
      'true: your bot answers this session (EXTERNAL). false: it is MANAGED, and `answers` says who answers.',
    example: true,
  })
  @IsBoolean()
  enabled: boolean;

  @ApiPropertyOptional({
    description:
      'Receiver of this session: https, a public host, no user info. Required to enable external mode where the session has no endpoint (the first time, or after its deletion), refused with `enabled: false` then, kept otherwise. Another address lifts a pause of the endpoint; enabling does not.',
    example: 'https://example.com/hooks/bot',
    minLength: 1,
    maxLength: 2048,
  })
  @IsOptional()
  @IsString()
  @Length(1, 2048)
  webhookUrl?: string;

  @EventsProperty(
    'Events of this session to receive; empty means the nine that `POST /v1/webhooks` lists. Otherwise message.received is among them. Left out: they stay.',
  )
  @IsOptional()
  events?: PublicEvent[];

  @HearsProperty('stays as it is')
  @IsOptional()
  hears?: HearsBody;

  @ApiPropertyOptional({
    description:
      'When the session is to be MANAGED because your bot is away, so that the assistant answers, if it is on. null: never, as at the beginning. Left out: it stays.',
    type: Failover,
    nullable: true,
  })
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => Failover)
  failover?: Failover | null;

  @ApiPropertyOptional({
    description: 'true replaces the webhook secret at once.',
    example: false,
  })
  @IsOptional()
  @IsBoolean()
  rotateSecret?: boolean;

  @ApiPropertyOptional({
    description:
      'true generates an API key for the bot; it is shown only in this answer. Earlier ones go on working: the answer names them. All of them are revoked when the session is deleted; only the last live key with `admin:*` or `*` and no end stays.',
    example: true,
  })
  @IsOptional()
  @IsBoolean()
  mintApiKey?: boolean;

  @ApiPropertyOptional({
    description:
      'What the key of `mintApiKey` may do. By default everything; a bot that answers needs no more than the two of the example. Only with `mintApiKey`.',
    enum: SCOPES,
    isArray: true,
    minItems: 1,
    uniqueItems: true,
    example: ['messages:send', 'messages:read'],
  })
  @IsOptional()
  @IsArray()
  @ArrayNotEmpty()
  @ArrayUnique()
  @IsIn(SCOPES, { each: true })
  scopes?: Scope[];
}

/** The values an external bot needs, under the names of its environment variables (specification, "Rules"). */
export class ExternalBotEnv {
  @ApiProperty({ description: 'Tenant id.', format: 'uuid' })
  SVC_TENANT_ID: string;

  @ApiProperty({ description: 'Session id.', format: 'uuid' })
  SVC_SESSION_ID: string;

  @ApiPropertyOptional({ description: 'Verifies the signature of deliveries.', example: 'whsec_…' })
  SVC_WEBHOOK_SECRET?: string;

  @ApiPropertyOptional({ description: 'The new API key; only with mintApiKey.', example: 'rk_live_…' })
  SVC_API_KEY?: string;
}

/** The key that `mintApiKey` made, without its secret. */
export class MintedKey {
  @ApiProperty({ description: 'Key id.', example: '7Hq2mZ0aPx4K' })
  kid: string;

  @ApiProperty({ description: 'Its name in `GET /v1/api-keys`.', example: 'Bot of Support line' })
  name: string;

  @ApiProperty({
    description: 'What it may do.',
    enum: SCOPES,
    isArray: true,
    example: ['messages:send', 'messages:read'],
  })
  scopes: Scope[];

  @ApiProperty({
    description:
      'Key ids that were made before for the bot of this session and still work, newest first, at most 100: revoke those that are not used any more (`DELETE /v1/api-keys/:kid`).',
    isArray: true,
    type: String,
    example: ['3Xw8kT1bQz7N'],
  })
  earlier: string[];
}

/** Answer of `GET` and `PUT /v1/sessions/:id/external-config`. */
export class ExternalConfig {
  @ApiProperty({ description: 'Who answers inbound messages.', enum: BOT_MODES, example: 'EXTERNAL' })
  botMode: BotMode;

  @AnswersProperty('webhook')
  answers: Answerer;

  @ApiProperty({
    description: 'Receiver of the bound endpoint; null where there is none.',
    type: String,
    nullable: true,
    example: 'https://example.com/hooks/bot',
  })
  webhookUrl: string | null;

  @ApiProperty({
    description: 'Secret of the bound endpoint; null where there is none.',
    type: String,
    nullable: true,
    example: 'whsec_…',
  })
  webhookSecret: string | null;

  @ApiProperty({
    description:
      'Event filter of the bound endpoint; empty means the nine that `POST /v1/webhooks` lists; null where there is none.',
    type: 'array',
    items: { type: 'string', enum: [...PUBLIC_EVENTS] },
    nullable: true,
    example: [],
  })
  events: PublicEvent[] | null;

  @ApiProperty({
    description:
      'What the bound endpoint hears beside what contacts write in chats of their own; null where there is none.',
    type: Hears,
    nullable: true,
  })
  hears: Hears | null;

  @ApiProperty({
    description:
      'Bound endpoint, as under /v1/webhooks; null where there is none. In MANAGED it can be deleted there.',
    type: String,
    nullable: true,
    format: 'uuid',
  })
  endpointId: string | null;

  @ApiProperty({
    description:
      'Whether its deliveries go out. PAUSED: they are held, and nothing reaches your bot, until you send another webhookUrl or reactivate it under /v1/webhooks. DISABLED: external mode is off.',
    enum: ENDPOINT_STATUSES,
    type: String,
    nullable: true,
    example: 'ACTIVE',
  })
  endpointStatus: EndpointStatus | null;

  @ApiProperty({
    description: 'Why it is paused: by a request, or by five consecutive permanent 4xx.',
    enum: PAUSE_REASONS,
    type: String,
    nullable: true,
    example: null,
  })
  pausedReason: PauseReason | null;

  @ApiProperty({
    description:
      'When the session is MANAGED because your bot is away; null: never. It is EXTERNAL again with the next 2xx of the endpoint, which goes on hearing of everything meanwhile.',
    type: Failover,
    nullable: true,
  })
  failover: Failover | null;

  @ApiProperty({
    description:
      'FAILOVER: it is MANAGED because your bot is away, and not by request. null otherwise. More may come.',
    'x-extensible-enum': ['FAILOVER'],
    type: String,
    nullable: true,
    example: null,
  } as ApiPropertyOptions)
  botModeReason: 'FAILOVER' | null;

  @ApiPropertyOptional({
    description:
      'Ids of other endpoints that post events of this session to the same address, where there are any: its receiver gets those twice, signed with another secret each time.',
    type: 'array',
    items: { type: 'string', format: 'uuid' },
    example: ['0198c0de-0000-7000-8000-000000000002'],
  })
  sameUrlAs?: string[];

  @ApiPropertyOptional({
    description: 'What the bot needs; in the answer of PUT on enabling or minting.',
    type: ExternalBotEnv,
  })
  env?: ExternalBotEnv;

  @ApiPropertyOptional({ description: 'The new API key; only with mintApiKey.', type: MintedKey })
  mintedKey?: MintedKey;
}
