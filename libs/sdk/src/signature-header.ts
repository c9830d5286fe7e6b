/**
 * Headers of a request: the object of Node (also of Express, Fastify and Nest) in any letter case, or the `Headers` of
 * Fetch.
 */
export type WebhookHeaders =
  { readonly [name: string]: string | readonly string[] | undefined } | { get(name: string): string | null };

/** Fields of the signature header: the time of signing as it was written, and the signature. */
export interface SignatureFields {
  t: string;
  v1: string;
}

/** The second has the same value and is there for receivers that know it by this name. */
const NAMES = ['x-svc-signature', 'x-webhook-signature'];

/** Finds the value of the signature header, or of its alias where a proxy took the first away; undefined where neither is. */
export function findSignature(headers: WebhookHeaders): string | undefined {
  return NAMES.map((name) => read(headers, name)).find((value) => value);
}

/**
 * Reads the fields of a header; undefined unless `t` and `v1` are there once each. Two of a kind are never sent, and which of them counts
 * must not be for the sender to choose. Other names are left alone: `v1` names the scheme, and another may come beside it.
 */
export function parseSignature(header: string): SignatureFields | undefined {
  const fields = header.split(',').map((field) => field.trim());
  const only = (name: string): string | undefined => {
    const [value, ...more] = fields.filter((field) => field.startsWith(`${name}=`));
    return more.length === 0 ? value?.slice(name.length + 1) : undefined;
  };
  const t = only('t');
  const v1 = only('v1');
  return t && v1 && /^\d{1,15}$/.test(t) ? { t, v1 } : undefined;
}

function read(headers: WebhookHeaders, name: string): string | undefined {
  if (isFetchHeaders(headers)) return headers.get(name) ?? undefined;
  const values = Object.entries(headers)
    .filter(([key]) => key.toLowerCase() === name)
    .flatMap(([, value]) => value ?? []);
  return values.join(',');
}

function isFetchHeaders(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function';
}
