import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  IsDefined,
  IsNumber,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { field } from '../parts/field.js';
import { defineContent } from '../parts/kind.js';
import { NAME } from '../parts/name.js';

/** A place on the map. */
export class LocationContent {
  @ApiProperty({ description: 'Degrees north.', example: 52.5251, minimum: -90, maximum: 90 })
  @IsNumber()
  @Min(-90)
  @Max(90)
  latitude: number;

  @ApiProperty({ description: 'Degrees east.', example: 13.3694, minimum: -180, maximum: 180 })
  @IsNumber()
  @Min(-180)
  @Max(180)
  longitude: number;

  @ApiPropertyOptional({ description: 'Name of the place.', example: 'Main station', maxLength: 255 })
  @IsOptional()
  @IsString()
  @MaxLength(255)
  name?: string;

  @ApiPropertyOptional({
    description: 'Its street address.',
    example: 'Europaplatz 1, Berlin',
    maxLength: 1000,
  })
  @IsOptional()
  @IsString()
  @MaxLength(1000)
  address?: string;
}

/** A place on the map. */
export const location = defineContent({
  sending: {
    request: {
      location: field<LocationContent>(
        ApiPropertyOptional({ description: 'A place on the map.', type: LocationContent }),
        IsOptional(),
        ValidateNested(),
        Type(() => LocationContent),
      ),
    },
    wire: {
      location: field<LocationContent>(
        IsDefined(),
        ValidateNested(),
        Type(() => LocationContent),
      ),
    },
    canReply: true,
    canMention: false,
    hasFile: false,
    relation: null,
  },
  body: {
    required: {},
    optional: {
      latitude: field<number>(
        ApiPropertyOptional({ type: Number, description: 'Degrees north.', example: 52.52 }),
        IsOptional(),
        IsNumber(),
      ),
      longitude: field<number>(
        ApiPropertyOptional({ type: Number, description: 'Degrees east.', example: 13.4 }),
        IsOptional(),
        IsNumber(),
      ),
      name: NAME,
      address: field<string>(
        ApiPropertyOptional({ type: String, description: 'Street address.', example: 'Europaplatz 1' }),
        IsOptional(),
        IsString(),
      ),
    },
  },
});
