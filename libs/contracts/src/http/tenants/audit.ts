import { ApiProperty } from '@nestjs/swagger';
import { IsInt, IsISO8601, IsObject, IsOptional, IsString, IsUUID, Matches } from 'class-validator';

const HASH = /^[0-9a-f]{64}$/;

/**
 * One entry of a tenant's audit log. `hash` is the SHA-256 of the 32 bytes of `prevHash` and, behind them, of the entry's
 * JSON without both, keys in alphabetical order and no spaces (RFC 8785), in UTF-8; the first `prevHash` is all zeros.
 */
export class AuditEntry {
  @ApiProperty({ description: 'Entry id.', format: 'uuid' })
  @IsUUID()
  id: string;

  @ApiProperty({ description: 'Tenant.', format: 'uuid' })
  @IsUUID()
  tenantId: string;

  @ApiProperty({
    description:
      'Place in the chain of the tenant, from 1 on without a gap; null: from before there was one.',
    type: 'integer',
    nullable: true,
    example: 42,
  })
  @IsOptional()
  @IsInt()
  place: number | null;

  @ApiProperty({ description: 'When (ISO 8601, UTC).', example: '2026-01-31T12:00:00.000Z' })
  @IsISO8601()
  at: string;

  @ApiProperty({
    description: 'Who: key:<kid>, operator, system, or link: whoever was sent the address of a link page.',
    example: 'key:7Hq2mZ0aPx4K',
  })
  @IsString()
  actor: string;

  @ApiProperty({ description: 'What was done.', example: 'api_key.created' })
  @IsString()
  action: string;

  @ApiProperty({ description: 'What it was done to: an id.', example: '7Hq2mZ0aPx4K' })
  @IsString()
  target: string;

  @ApiProperty({
    description: 'Why, where that was asked for.',
    type: String,
    nullable: true,
    example: 'Number in use for two years',
  })
  @IsOptional()
  @IsString()
  reason: string | null;

  @ApiProperty({
    description: 'More about it; never a secret.',
    type: 'object',
    additionalProperties: true,
    example: { previousTier: 0, tier: 2 },
  })
  @IsObject()
  details: Record<string, unknown>;

  @ApiProperty({
    description: 'Hash of the entry before, in hex; zeros for the first.',
    type: String,
    nullable: true,
    example: '0'.repeat(64),
  })
  @IsOptional()
  @Matches(HASH)
  prevHash: string | null;

  @ApiProperty({
    description:
      'SHA-256, in hex, of the bytes of prevHash and the JSON of this entry without prevHash and hash (RFC 8785).',
    type: String,
    nullable: true,
    example: 'a1'.repeat(32),
  })
  @IsOptional()
  @Matches(HASH)
  hash: string | null;
}
