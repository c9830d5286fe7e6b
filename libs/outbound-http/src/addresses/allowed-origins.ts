import { Env, type ServiceConfig } from '@svc/service';
import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';

const ORIGIN = /^https?:\/\/(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(:(\d{1,5}|\*))?$/i;

/** Reads the variable with the origins that an `AddressGuard` lets through, in every service that has one. */
export function AllowedOrigins(): PropertyDecorator {
  const decorators = [
    Env('WEBHOOK_ALLOWED_ORIGINS', {
      description:
        'Origins that the address guard lets through although they are local, exact or with any port, for webhooks and for media by URL; in production exact ones only.',
      example: 'http://127.0.0.1:*',
    }),
    Transform(({ value }) => listOf(value)),
    ValidateBy({
      name: 'allowedOrigins',
      validator: {
        validate: (value, args) => problemWith(value, (args?.object as ServiceConfig).mode) === undefined,
        defaultMessage: (args) =>
          `allowedOrigins ${problemWith(args?.value, (args?.object as ServiceConfig).mode) ?? ''}`,
      },
    }),
  ];
  return (target, property) => {
    for (const decorate of decorators) decorate(target, property);
  };
}

/** Splits a comma-separated list; what is no text stays for the validator to refuse. */
export function listOf(value: unknown): unknown {
  return typeof value === 'string' ? value.split(',').map((one) => one.trim()) : value;
}

/** Says what is wrong with the list; undefined when nothing is. */
function problemWith(value: unknown, mode: string): string | undefined {
  if (!Array.isArray(value)) return 'must be a comma-separated list of origins';
  if (mode === 'production' && value.some((origin) => String(origin).endsWith(':*')))
    return 'must not hold origins with any port when SVC_MODE is production';
  const wrong = value.filter((origin) => typeof origin !== 'string' || !ORIGIN.test(origin));
  return wrong.length > 0
    ? 'must hold origins such as http://127.0.0.1:8080 or http://127.0.0.1:*'
    : undefined;
}
