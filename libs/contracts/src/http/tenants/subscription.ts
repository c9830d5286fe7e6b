import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsString } from 'class-validator';
import {
  type Plan,
  PLANS,
  SUBSCRIPTION_KEEPERS,
  SUBSCRIPTION_STATUSES,
  type SubscriptionKeeper,
  type SubscriptionStatus,
} from '../../enums.js';

const EXAMPLE = '2026-02-01T00:00:00.000Z';

/** Answer of `GET /v1/subscription`. */
export class SubscriptionView {
  @ApiProperty({ description: 'Plan that holds now.', enum: PLANS, example: 'GROWTH' })
  plan: Plan;

  @ApiProperty({ description: 'State.', enum: SUBSCRIPTION_STATUSES, example: 'ACTIVE' })
  status: SubscriptionStatus;

  @ApiProperty({
    description: 'Whether sends, new sessions, connecting and pairing codes are allowed; otherwise 402.',
    example: true,
  })
  active: boolean;

  @ApiProperty({
    description:
      'Who says what it is: `stripe` where it is paid by card, `operator` where it is set by hand.',
    enum: SUBSCRIPTION_KEEPERS,
    example: 'stripe',
  })
  keeper: SubscriptionKeeper;

  @ApiPropertyOptional({
    description: 'While a payment is overdue: until when it stays active (ISO 8601, UTC).',
    example: EXAMPLE,
  })
  graceEndsAt?: string;

  @ApiPropertyOptional({
    description: 'A smaller plan that begins when the paid period ends.',
    enum: PLANS,
    example: 'STARTER',
  })
  nextPlan?: Plan;

  @ApiPropertyOptional({ description: 'When that is (ISO 8601, UTC).', example: EXAMPLE })
  nextPlanAt?: string;

  @ApiPropertyOptional({ description: 'End of the paid period (ISO 8601, UTC).', example: EXAMPLE })
  periodEndsAt?: string;

  @ApiPropertyOptional({ description: 'When it ends, if it was canceled (ISO 8601, UTC).', example: EXAMPLE })
  cancelsAt?: string;
}

/** Body of `POST /v1/subscription/checkout`. */
export class OpenCheckoutBody {
  @ApiProperty({ description: 'Plan to pay for.', enum: PLANS, example: 'GROWTH' })
  @IsIn(PLANS)
  plan: Plan;
}

/** A page of the payment provider for a person's browser; good for a short time. */
export class ProviderPage {
  @ApiProperty({ description: 'Address of the page.', example: 'https://billing.example.com/session/abc' })
  @IsString()
  url: string;
}
