import { isIP, type LookupFunction } from 'node:net';
import { nameResolver, type Resolve } from './name-resolver.js';
import { OwnNetworks } from './own-addresses.js';
import { isPublicAddress } from './public-address.js';

/** Options of a guard. */
export interface GuardOptions {
  /** Origins that are let through unchecked: exact, or with any port where an entry ends in `:*`. */
  allowedOrigins?: readonly string[];
  /** Addresses and networks of ours that are public by number. */
  ownAddresses?: readonly string[];
  resolve?: Resolve;
}

/** The words for a destination we do not connect to: a tenant reads no address, no reason. */
export const NOT_ALLOWED = 'destination not allowed';
/** Code of the error that refuses a connection. */
export const DESTINATION_NOT_ALLOWED = 'DESTINATION_NOT_ALLOWED';

/** The words for an address that is none of a public host over https. */
export const NO_HTTPS = 'must be an https URL';
const MAX_URL = 2048;
const LOCAL_SUFFIXES = ['.internal', '.local', '.localhost', '.localdomain', '.home.arpa', '.lan'];
/** A name that does not resolve in time may be saved: every connection is checked again. */
const RESOLVE_AT_SAVE_MS = 1_000;

/**
 * The guard keeps what tenants have us connect to away from everything that is not the public internet, so that nobody reaches our network through us:
 * rules and a look at the answers when an address is saved, and the same decision again at every new socket, because
 * what a name resolves to may change after the first answer.
 */
export class AddressGuard {
  private readonly allowedOrigins: readonly string[];
  private readonly own: OwnNetworks;
  private readonly resolve: Resolve;

  constructor({ allowedOrigins = [], ownAddresses = [], resolve = nameResolver() }: GuardOptions = {}) {
    this.allowedOrigins = allowedOrigins;
    this.own = new OwnNetworks(ownAddresses);
    this.resolve = resolve;
  }

  /** Names the rule that an address breaks, in words for the tenant; undefined when it may be saved. */
  async problemWith(text: string): Promise<string | undefined> {
    const url = parseHttpUrl(text);
    if (typeof url === 'string') return url;
    if (url.username || url.password) return 'must not contain a user name or password';
    if (this.isAllowed(url)) return undefined;
    if (url.protocol !== 'https:') return NO_HTTPS;
    return (await this.isForbidden(url)) ? NOT_ALLOWED : undefined;
  }

  /** Says whether connections to this origin are let through unchecked. */
  isAllowed(url: URL): boolean {
    return isAllowedOrigin(url, this.allowedOrigins);
  }

  /** Says whether an address in text form may be connected to: it is public, and not our own. */
  mayReach(address: string): boolean {
    return isPublicAddress(address) && !this.own.has(address);
  }

  /** Says whether a host must not be connected to, as far as its spelling shows. Node never asks `lookup` about literals. */
  isForbiddenHost(hostname: string): boolean {
    const host = bare(hostname);
    if (isIP(host)) return !this.mayReach(host);
    return !host.includes('.') || LOCAL_SUFFIXES.some((suffix) => host.endsWith(suffix));
  }

  /** Lookup for `net.connect` and `tls.connect`: fails where any of the answers is not public. */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    this.resolve(hostname, { ...options, all: true } as { all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      const [first] = addresses;
      if (!first || addresses.some(({ address }) => !this.mayReach(address))) {
        return callback(notAllowed(), '', 0);
      }
      if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };

  /** Says whether the port or the host of a URL must not be connected to, by its spelling or by what its name resolves to. */
  private async isForbidden({ port, hostname }: URL): Promise<boolean> {
    if (!isAllowedPort(port) || this.isForbiddenHost(hostname)) return true;
    return this.resolvesToForbidden(bare(hostname));
  }

  private async resolvesToForbidden(hostname: string): Promise<boolean> {
    if (isIP(hostname)) return false;
    return new Promise((done) => {
      const timer = setTimeout(() => done(false), RESOLVE_AT_SAVE_MS);
      this.resolve(hostname, { all: true }, (error, addresses) => {
        clearTimeout(timer);
        done(!error && addresses.some(({ address }) => !this.mayReach(address)));
      });
    });
  }
}

/** Makes the error with which a connection is refused. */
export function notAllowed(): NodeJS.ErrnoException {
  return Object.assign(new Error(NOT_ALLOWED), { code: DESTINATION_NOT_ALLOWED });
}

/** @returns the rule that a text breaks, where it is no URL. */
function parseHttpUrl(text: string): URL | string {
  if (text.length > MAX_URL) return `must not be longer than ${MAX_URL} characters`;
  // The parser drops blanks and line ends: what is stored must be what was checked.
  if (/[\s\p{Cc}]/u.test(text)) return 'must not contain blanks or control characters';
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url && /^https?:$/.test(url.protocol) ? url : NO_HTTPS;
}

/** Writes a host in lower case, without the brackets of an IPv6 literal and the dot of the root (`localhost.`). */
function bare(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
}

/** Allows 443 (which `URL` leaves out) and the ports above the well-known ones, behind which no old plain-text service listens. */
function isAllowedPort(port: string): boolean {
  return port === '' || Number(port) >= 1024;
}

/** Says whether the origin of a URL is on the list: exactly, or with any port where the entry ends in `:*`. */
export function isAllowedOrigin(url: URL, allowed: readonly string[]): boolean {
  return allowed.some((entry) => {
    if (entry.endsWith(':*')) {
      const any = new URL(entry.slice(0, -2));
      return any.protocol === url.protocol && any.hostname === url.hostname;
    }
    return new URL(entry).origin === url.origin;
  });
}
