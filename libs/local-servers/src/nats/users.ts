import { NATS_RIGHTS } from '../generated/nats-rights.js';

/** Number of partitions, as `PARTITION_COUNT` of the contracts, which are too slow to load here: a test compares the two. */
export const PARTITIONS = 64;

/** Options of `natsUsers`. */
export interface NatsUsersOptions {
  /** Password of each user, by its name: a text, or the name of an environment variable of the server, with `$` in front. */
  passwords: Record<string, string>;
  /** User who may do everything, for tests and drills that look behind the scenes. */
  everything?: string;
  /** User that a client is who names none. */
  unnamed?: string;
}

/**
 * Writes the part of a nats-server's configuration that says who may do what: each service may publish, ask and answer what its contracts say,
 * read its own consumers, and hear answers to itself alone.
 * @throws Error when a user of the rights has no password, or a password belongs to nobody
 */
export function natsUsers({ passwords, everything, unnamed }: NatsUsersOptions): string {
  const known = [...Object.keys(NATS_RIGHTS), ...(everything === undefined ? [] : [everything])];
  const wrong = [
    ...known.filter((user) => passwords[user] === undefined),
    ...Object.keys(passwords).filter((user) => !known.includes(user)),
  ];
  if (wrong.length > 0)
    throw new Error(`Users of NATS without rights or without a password: ${wrong.join(', ')}`);
  const users = known.map((user) => userText(user, passwords[user] as string));
  return `authorization {\n  users = [\n${users.join(',\n')}\n  ]\n}\n${unnamed === undefined ? '' : `no_auth_user: ${unnamed}\n`}`;
}

function userText(user: string, password: string): string {
  const secret = password.startsWith('$') ? password : JSON.stringify(password);
  const rights = NATS_RIGHTS[user];
  if (!rights) return `    { user: ${user}, password: ${secret} }`;
  const allow = (subjects: readonly string[]): string =>
    `{ allow: [\n${subjects
      .flatMap(perPartition)
      .map((one) => `          "${one}"`)
      .join(',\n')}\n        ] }`;
  return `    {
      user: ${user}, password: ${secret},
      permissions: {
        publish: ${allow(rights.publish)},
        subscribe: ${allow(rights.subscribe)},
        allow_responses: { max: 1, expires: "1m" }
      }
    }`;
}

function perPartition(subject: string): string[] {
  if (!subject.includes('<partition>')) return [subject];
  return Array.from({ length: PARTITIONS }, (_, partition) =>
    subject.replaceAll('<partition>', String(partition)),
  );
}
