import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsNumber, IsString, Length, Max, Min } from 'class-validator';
import { MayBeAbsent } from '../http/may-be-absent.js';
import { type KindRules, media, Name, withoutNulls } from './parts/kind.js';

export class LocationBody {
  @ApiPropertyOptional({ description: 'Degrees north of a location.', example: 52.52 })
  @MayBeAbsent()
  @IsNumber()
  @Min(-90)
  @Max(90)
  latitude?: number;

  @ApiPropertyOptional({ description: 'Degrees east of a location.', example: 13.4 })
  @MayBeAbsent()
  @IsNumber()
  @Min(-180)
  @Max(180)
  longitude?: number;

  @Name()
  name?: string;

  @ApiPropertyOptional({ description: 'Street address of a location.', example: 'Europaplatz 1' })
  @MayBeAbsent()
  @IsString()
  @Length(1, 300)
  address?: string;
}

export const location: KindRules<LocationBody> = {
  body: LocationBody,
  required: ['latitude', 'longitude'],
  compose: ({ latitude, longitude, name, address }, { contextInfo }) => ({
    locationMessage: { degreesLatitude: latitude, degreesLongitude: longitude, name, address, contextInfo },
  }),
  forms: {
    locationMessage: {
      stanza: media('location'),
      describe: ({ degreesLatitude: latitude, degreesLongitude: longitude, name, address }) =>
        withoutNulls({ latitude, longitude, name, address }),
    },
  },
};
