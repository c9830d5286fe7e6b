import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';

/** The resolver finds all addresses of a name; it has the shape of `dns.lookup`. */
export type Resolve = (
  hostname: string,
  options: { all: true; family?: number | 'IPv4' | 'IPv6' },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Limits of a question: both tries end within the three seconds that a connection may take. */
const LIMITS = { timeout: 700, tries: 2 };

/**
 * Makes a resolver that asks name servers directly. `dns.lookup` would wait in a queue with four places for the whole process: names that
 * never resolve, of one tenant, would use up the time of everybody's attempts. No hosts file, no search domains.
 * @param servers `address:port`; those of the machine by default.
 */
export function nameResolver(servers?: readonly string[]): Resolve {
  const resolver = new Resolver(LIMITS);
  if (servers) resolver.setServers(servers);
  return (hostname, _, callback) => {
    void Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]).then(([v4, v6]) => {
      const addresses = [...found(v4, 4), ...found(v6, 6)];
      const error = addresses.length > 0 ? null : notFound();
      callback(error, addresses);
    });
  };
}

function found(result: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  return result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : [];
}

/** Makes one error, with one code, of all that can go wrong: some of the resolver's own read like a refused connection to the receiver. */
function notFound(): NodeJS.ErrnoException {
  return Object.assign(new Error('The name does not resolve.'), { code: 'ENOTFOUND' });
}
