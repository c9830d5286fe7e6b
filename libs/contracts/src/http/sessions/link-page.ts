import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, IsOptional, IsString, Length, Matches, Max, MaxLength, Min } from 'class-validator';

/** Longest time for which a link may wait to be opened: a day. */
export const LINK_PAGE_MOST_SECONDS = 86_400;
export const LINK_PAGE_SECONDS = 3_600;
/** Address of a page of yours: with TLS, and nothing that ends an attribute or a header. */
const RETURN_URL = /^https:\/\/[^\s"'<>\\]+$/;

/** Body of `POST /v1/sessions/:id/link-page`. */
export class LinkPageBody {
  @ApiPropertyOptional({
    description: 'Your own word for whom it is; it is not shown.',
    example: 'customer 4711',
    minLength: 1,
    maxLength: 100,
  })
  @IsOptional()
  @IsString()
  @Length(1, 100)
  reference?: string;

  @ApiPropertyOptional({
    description: 'Where the page leads when the number is linked.',
    example: 'https://www.example.com/done',
    pattern: RETURN_URL.source,
    maxLength: 500,
  })
  @IsOptional()
  @MaxLength(500)
  @Matches(RETURN_URL, { message: 'returnUrl must be an address that begins with https://' })
  returnUrl?: string;

  @ApiPropertyOptional({
    description:
      'How long the link may wait to be opened, in seconds; from then on it holds for half an hour. Left out: an hour.',
    type: 'integer',
    example: LINK_PAGE_SECONDS,
    minimum: 60,
    maximum: LINK_PAGE_MOST_SECONDS,
  })
  @IsOptional()
  @IsInt()
  @Min(60)
  @Max(LINK_PAGE_MOST_SECONDS)
  expiresInSeconds?: number;
}

/** Answer of `POST /v1/sessions/:id/link-page`. */
export class LinkPageView {
  @ApiProperty({
    description:
      'Address of the page, for one person: whoever opens it first may link a number. It is shown this once, and not kept.',
    example: 'https://api.example.com/link/…',
  })
  @IsString()
  address: string;

  @ApiProperty({
    description: 'Until when it can be opened (ISO 8601, UTC).',
    example: '2026-01-31T13:00:00.000Z',
  })
  @IsString()
  expiresAt: string;

  @ApiProperty({
    description: 'Your own word for whom it is.',
    type: String,
    nullable: true,
    example: 'customer 4711',
  })
  @IsOptional()
  @IsString()
  reference: string | null;

  @ApiProperty({
    description: 'Where the page leads when the number is linked.',
    type: String,
    nullable: true,
    example: 'https://www.example.com/done',
  })
  @IsOptional()
  @IsString()
  returnUrl: string | null;
}
