// Takes the address apart that a link page shows: where its gateway is, and the token of one challenge.
const PATH = /^(.*)\/passkey\/([\w-]{43})$/;

/** Local gateways are the only ones without TLS. */
const isSafe = ({ protocol, hostname }) =>
  protocol === 'https:' || (protocol === 'http:' && ['127.0.0.1', 'localhost'].includes(hostname));

export function partsOf(text) {
  let url;
  try {
    url = new URL(text.trim());
  } catch {
    return undefined;
  }
  const [, prefix, token] = PATH.exec(url.pathname) ?? [];
  // The pattern of a permission has no port.
  return token && isSafe(url)
    ? { origin: `${url.protocol}//${url.hostname}`, gateway: `${url.origin}${prefix}`, token }
    : undefined;
}
