import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  IsArray,
  IsBoolean,
  IsIn,
  IsISO8601,
  IsObject,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  ValidateNested,
} from 'class-validator';
import {
  ENDPOINT_ORDERINGS,
  ENDPOINT_STATUSES,
  type EndpointOrdering,
  type EndpointStatus,
  PAUSE_REASONS,
  type PauseReason,
} from '../../enums.js';
import { PUBLIC_EVENTS, type PublicEvent, UNNAMED_EVENTS } from '../../events/events.js';
import { HEADERS_SCHEMA, IsHeaders } from '../headers.js';
import { MayBeAbsent } from '../may-be-absent.js';
import { EventsProperty, Hears, type HearsBody, HearsProperty } from './hears.js';

const STANDARD_WEBHOOKS =
  'Whether deliveries carry the headers of Standard Webhooks (webhook-id, webhook-timestamp, webhook-signature) beside ours.';
const ORDERING =
  'CONVERSATION: first attempts of a conversation in order, one that failed steps aside. STRICT: what follows in the conversation waits until it is delivered or dead.';

/** Body of `POST /v1/webhooks`. */
export class CreateWebhookBody {
  @ApiProperty({ description: 'Label for people.', example: 'CRM', minLength: 1, maxLength: 100 })
  @IsString()
  @Length(1, 100)
  name: string;

  @ApiProperty({
    description: 'Receiver address: https, a public host, no user info.',
    example: 'https://example.com/hooks/svc',
    minLength: 1,
    maxLength: 2048,
  })
  @IsString()
  @Length(1, 2048)
  url: string;

  @EventsProperty(
    `Events to receive. Empty or left out means these nine: ${UNNAMED_EVENTS.join(', ')}. Every other one has to be named, those of later releases, too.`,
  )
  @IsOptional()
  events?: PublicEvent[];

  @HearsProperty('is as it is by default')
  @MayBeAbsent()
  hears?: HearsBody;

  @ApiPropertyOptional({
    description:
      'Custom headers of every delivery, 4096 characters at most in all. Names that the gateway sets itself are refused.',
    ...HEADERS_SCHEMA,
  })
  @IsOptional()
  @IsHeaders()
  headers?: Record<string, string>;

  @ApiPropertyOptional({ description: `${STANDARD_WEBHOOKS} Left out: false.`, example: true })
  @IsOptional()
  @IsBoolean()
  standardWebhooks?: boolean;

  @ApiPropertyOptional({
    description: `${ORDERING} Left out: CONVERSATION.`,
    enum: ENDPOINT_ORDERINGS,
    example: 'CONVERSATION',
  })
  @IsOptional()
  @IsIn(ENDPOINT_ORDERINGS)
  ordering?: EndpointOrdering;
}

/** Body of `PATCH /v1/webhooks/:id`: fields that are left out stay, and null means nothing. */
export class UpdateWebhookBody {
  @ApiPropertyOptional({ description: 'New label.', example: 'CRM (new)', minLength: 1, maxLength: 100 })
  @MayBeAbsent()
  @IsString()
  @Length(1, 100)
  name?: string;

  @ApiPropertyOptional({
    description: 'New receiver address.',
    example: 'https://example.com/hooks/v2',
    minLength: 1,
    maxLength: 2048,
  })
  @MayBeAbsent()
  @IsString()
  @Length(1, 2048)
  url?: string;

  @EventsProperty(
    'New filter; empty means the nine that `POST /v1/webhooks` lists. That of an endpoint that is bound to a session is empty or contains message.received.',
  )
  @MayBeAbsent()
  events?: PublicEvent[];

  @HearsProperty('stays as it is')
  @MayBeAbsent()
  hears?: HearsBody;

  @ApiPropertyOptional({
    description:
      'All custom headers from now on, 4096 characters at most in all; {} removes them. The value *** keeps what is stored.',
    ...HEADERS_SCHEMA,
  })
  @MayBeAbsent()
  @IsHeaders()
  headers?: Record<string, string>;

  @ApiPropertyOptional({ description: STANDARD_WEBHOOKS, example: true })
  @MayBeAbsent()
  @IsBoolean()
  standardWebhooks?: boolean;

  @ApiPropertyOptional({
    description: ORDERING,
    enum: ENDPOINT_ORDERINGS,
    example: 'STRICT',
  })
  @MayBeAbsent()
  @IsIn(ENDPOINT_ORDERINGS)
  ordering?: EndpointOrdering;
}

/** A webhook endpoint without its secret. */
export class WebhookEndpoint {
  @ApiProperty({ description: 'Endpoint id.', format: 'uuid' })
  @IsUUID()
  id: string;

  @ApiProperty({ description: 'Label for people.', example: 'CRM' })
  @IsString()
  name: string;

  @ApiProperty({ description: 'Receiver address.', example: 'https://example.com/hooks/svc' })
  @IsString()
  url: string;

  @ApiProperty({
    description: 'Event filter; empty means the nine that `POST /v1/webhooks` lists.',
    enum: PUBLIC_EVENTS,
    isArray: true,
  })
  @IsArray()
  events: PublicEvent[];

  @ApiProperty({
    description: 'What it hears beside what contacts write in chats of their own.',
    type: Hears,
  })
  @IsOptional()
  @ValidateNested()
  @Type(() => Hears)
  hears: Hears;

  @ApiProperty({ description: 'Whether deliveries go out.', enum: ENDPOINT_STATUSES, example: 'ACTIVE' })
  @IsIn(ENDPOINT_STATUSES)
  status: EndpointStatus;

  @ApiProperty({
    description: 'Custom headers of every delivery; their values are not shown.',
    ...HEADERS_SCHEMA,
    example: { Authorization: '***' },
  })
  @IsObject()
  headers: Record<string, string>;

  @ApiProperty({ description: STANDARD_WEBHOOKS, example: false })
  @IsBoolean()
  standardWebhooks: boolean;

  @ApiProperty({ description: ORDERING, enum: ENDPOINT_ORDERINGS, example: 'CONVERSATION' })
  @IsIn(ENDPOINT_ORDERINGS)
  ordering: EndpointOrdering;

  @ApiProperty({
    description: 'Why it is paused: by a request, or by five consecutive permanent 4xx.',
    enum: PAUSE_REASONS,
    type: String,
    nullable: true,
    example: null,
  })
  @IsOptional()
  @IsIn(PAUSE_REASONS)
  pausedReason: PauseReason | null;

  @ApiProperty({
    description: 'Who paused it (key:<kid>); null where nobody did.',
    type: String,
    nullable: true,
    example: null,
  })
  @IsOptional()
  @IsString()
  pausedBy: string | null;

  @ApiProperty({
    description: 'The reason that was given when it was paused by a request.',
    type: String,
    nullable: true,
    example: null,
  })
  @IsOptional()
  @IsString()
  pausedNote: string | null;

  @ApiProperty({
    description: 'Since when it is paused (ISO 8601, UTC).',
    type: String,
    nullable: true,
    example: null,
  })
  @IsOptional()
  @IsISO8601()
  pausedAt: string | null;

  @ApiProperty({
    description: 'Session it is bound to; null: tenant-wide.',
    type: String,
    nullable: true,
    format: 'uuid',
  })
  @IsOptional()
  @IsUUID()
  sessionId: string | null;

  @ApiPropertyOptional({
    description:
      'Ids of other endpoints that post events of this one to the same address, where there are any: its receiver gets those twice, signed with another secret each time. Not in lists.',
    type: 'array',
    items: { type: 'string', format: 'uuid' },
    example: ['0198c0de-0000-7000-8000-000000000002'],
  })
  @IsOptional()
  @IsArray()
  @IsUUID(undefined, { each: true })
  sameUrlAs?: string[];

  @ApiProperty({ description: 'When it was created (ISO 8601, UTC).', example: '2026-01-31T12:00:00.000Z' })
  @IsISO8601()
  createdAt: string;
}

/** A webhook endpoint with its secret: the answer of creation and rotation, and of a bound endpoint. */
export class WebhookEndpointWithSecret extends WebhookEndpoint {
  @ApiProperty({ description: 'Signs deliveries. Shown this once.', example: 'whsec_…' })
  @IsString()
  secret: string;
}
