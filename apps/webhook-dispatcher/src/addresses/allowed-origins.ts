const ORIGIN = /^https?:\/\/(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(:(\d{1,5}|\*))?$/i;

/** What is wrong with a list of origins that the address guard shall let through; undefined when nothing is. */
export function allowedOriginsProblem(value: unknown, mode: string): string | undefined {
  if (!Array.isArray(value)) return 'must be a comma-separated list of origins';
  if (value.length > 0 && mode === 'production') return 'must be empty when SVC_MODE is production';
  const wrong = value.filter((origin) => typeof origin !== 'string' || !ORIGIN.test(origin));
  return wrong.length > 0
    ? 'must hold origins such as http://127.0.0.1:8080 or http://127.0.0.1:*'
    : undefined;
}

/** Whether the origin of a URL is on the list: exactly, or with any port where the entry ends in `:*`. */
export function isAllowedOrigin(url: URL, allowed: readonly string[]): boolean {
  return allowed.some((entry) => {
    if (entry.endsWith(':*')) {
      const any = new URL(entry.slice(0, -2));
      return any.protocol === url.protocol && any.hostname === url.hostname;
    }
    return new URL(entry).origin === url.origin;
  });
}
