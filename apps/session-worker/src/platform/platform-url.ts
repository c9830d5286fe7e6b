import { Transform } from 'class-transformer';
import { registerDecorator, type ValidationArguments } from 'class-validator';

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

/**
 * Says whether a platform address may be used: TLS is the only thing that authenticates the server, so `ws://` is for a simulator on this
 * very machine, in development.
 */
export function isPlatformUrl(value: unknown, mode: string): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const url = new URL(value);
  if (url.protocol === 'wss:') return true;
  return url.protocol === 'ws:' && mode === 'development' && LOOPBACK.has(url.hostname);
}

/** Checks `SANDBOX_PLATFORM_URL` as a rule of class-validator: a simulator is authenticated by its trust root, and keeps no secrets of people. */
export function IsSandboxUrl(): PropertyDecorator {
  return (target, property) => {
    registerDecorator({
      name: 'isSandboxUrl',
      target: target.constructor,
      propertyName: String(property),
      validator: {
        validate: (value: unknown) =>
          typeof value === 'string' && URL.canParse(value) && /^wss?:$/.test(new URL(value).protocol),
        defaultMessage: () => `${String(property)} must be a ws:// or wss:// address`,
      },
    });
  };
}

/** Reads `PLATFORM_VERSION_SOURCES`: a list of pages that TLS or this very machine vouches for, and of files. */
export function IsVersionSources(): PropertyDecorator {
  const isSource = (text: unknown): boolean => {
    if (typeof text !== 'string' || !URL.canParse(text)) return false;
    const { protocol, hostname } = new URL(text);
    return protocol === 'https:' || protocol === 'file:' || (protocol === 'http:' && LOOPBACK.has(hostname));
  };
  return (target, property) => {
    Transform(({ value }) =>
      typeof value === 'string' ? value.split(',').map((one) => one.trim()) : (value as unknown),
    )(target, property);
    registerDecorator({
      name: 'isVersionSources',
      target: target.constructor,
      propertyName: String(property),
      validator: {
        validate: (value: unknown) => Array.isArray(value) && value.every(isSource),
        defaultMessage: () =>
          `${String(property)} must be https: or file: addresses, separated by commas (http: only on loopback)`,
      },
    });
  };
}

/** Checks `PLATFORM_URL` as a rule of class-validator; looks at the `mode` beside it. */
export function IsPlatformUrl(): PropertyDecorator {
  return (target, property) => {
    registerDecorator({
      name: 'isPlatformUrl',
      target: target.constructor,
      propertyName: String(property),
      validator: {
        validate: (value: unknown, args?: ValidationArguments) =>
          isPlatformUrl(value, (args?.object as { mode?: string } | undefined)?.mode ?? 'production'),
        defaultMessage: () =>
          `${String(property)} must be a wss:// address (ws:// only on loopback, with SVC_MODE=development)`,
      },
    });
  };
}
