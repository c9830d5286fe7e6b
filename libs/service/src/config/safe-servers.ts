import { ValidateBy, type ValidationArguments } from 'class-validator';

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[?::1\]?)$/;
const PLAINTEXT = 'or name the host in PLAINTEXT_HOSTS where nobody else can listen on the way';

/** Variables that these rules read beside the property that they stand at. */
interface Servers {
  mode?: string;
  plaintextHosts?: string[];
  natsUser?: string;
  natsCreds?: string;
  natsCert?: string;
}

/** Marks the address of the database: in production a server elsewhere has to prove who it is. */
export function IsSafeDatabase(): PropertyDecorator {
  return rule('isSafeDatabase', (url, servers) => {
    const host = hostOfDatabase(url);
    if (host === undefined || isNear(host, servers) || /[?&]sslmode=verify-full(&|$)/.test(url))
      return undefined;
    return `$property must end in ?sslmode=verify-full, with sslrootcert=<file> where its authority is not a public one, for a server that is not on this machine; ${PLAINTEXT}`;
  });
}

/** Marks the addresses of NATS: in production those elsewhere have TLS. */
export function IsSafeNats(): PropertyDecorator {
  return rule('isSafeNats', (url, servers) => {
    const isPlain = (one: string): boolean => {
      const [, host] = /^nats:\/\/([^\s@/]+?)(:\d+)?$/.exec(one) ?? [];
      return host !== undefined && !isNear(host, servers);
    };
    const plain = url.split(',').some((one) => isPlain(one.trim()));
    return plain
      ? `$property must be tls:// for a server that is not on this machine; ${PLAINTEXT}`
      : undefined;
  });
}

/** Marks the addresses of NATS: in production the servers want to know who comes. */
export function IsNatsWithCredentials(): PropertyDecorator {
  return rule('isNatsWithCredentials', (_url, { natsUser, natsCreds, natsCert }) =>
    [natsUser, natsCreds, natsCert].every((one) => one === undefined)
      ? '$property must be given with NATS_USER and NATS_PASSWORD, NATS_CREDS, or NATS_CERT and NATS_KEY: whoever reaches NATS without is every tenant and the operator'
      : undefined,
  );
}

/** Marks a key: in production it is random, and not what somebody has typed for a first try. */
export function IsRandomKey(): PropertyDecorator {
  const DIFFERENT = 10;
  const WORDS = /develop|example|change.?me|password|secret|default/i;
  return rule('isRandomKey', (key) =>
    new Set(key).size < DIFFERENT || WORDS.test(key)
      ? '$property must be random: this one has words or few different characters, openssl rand -base64 32 makes one'
      : undefined,
  );
}

/** Makes a rule that holds in production alone. @param problemWith makes the sentence for what is wrong. */
function rule(
  name: string,
  problemWith: (value: string, servers: Servers) => string | undefined,
): PropertyDecorator {
  const problem = (value: unknown, args?: ValidationArguments): string | undefined => {
    const servers = args?.object as Servers;
    return servers.mode === 'production' && typeof value === 'string'
      ? problemWith(value, servers)
      : undefined;
  };
  return ValidateBy({
    name,
    validator: {
      validate: (value, args) => problem(value, args) === undefined,
      defaultMessage: (args) =>
        (problem(args?.value, args) ?? '').replaceAll('$property', args?.property ?? ''),
    },
  });
}

/** @returns undefined for a socket in the file system. */
function hostOfDatabase(url: string): string | undefined {
  try {
    const { hostname, searchParams } = new URL(url);
    const host = searchParams.get('host') ?? hostname;
    return host === '' || host.startsWith('/') ? undefined : host;
  } catch {
    return undefined; // another rule refuses what is no URL
  }
}

function isNear(host: string, { plaintextHosts = [] }: Servers): boolean {
  return LOOPBACK.test(host) || plaintextHosts.includes(host);
}
