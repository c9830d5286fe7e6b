import { applyDecorators } from '@nestjs/common';
import { Env } from '@svc/service';
import { IsOptional, Matches } from 'class-validator';

/** Marks the property that holds the authority which alone speaks for the hosts of a platform: of its sessions, and for nobody else. */
export function PlatformCa(name: string, of: string): PropertyDecorator {
  return applyDecorators(
    Env(name, {
      description: `Certificate, as PEM, of the authority that alone speaks for the https hosts ${of}. Unset: those that Node trusts.`,
      file: true,
    }),
    IsOptional(),
    Matches(/^-----BEGIN CERTIFICATE-----/, { message: '$property must be a certificate as PEM' }),
  );
}
