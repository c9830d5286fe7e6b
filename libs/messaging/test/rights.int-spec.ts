import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { connect, type NatsConnection, PermissionViolationError } from '@nats-io/transport-node';
import * as contracts from '@svc/contracts';
import { NATS_RIGHTS, natsUsers, PARTITIONS } from '@svc/local-servers';
import { startTestNats, type TestNats } from '@svc/test-servers';
import { randomBytes } from 'node:crypto';
import { connectionOptions, Messaging } from '../src/index.js';

const EVERYTHING = 'tests';
const USERS = Object.keys(NATS_RIGHTS);
const SERVICES = USERS.filter((user) => user !== 'operator');
const TELLERS_OF_EVENTS = ['assistant', 'billing', 'session-worker', 'webhook-dispatcher'];
const passwords = Object.fromEntries(
  [...USERS, EVERYTHING].map((user) => [user, randomBytes(8).toString('hex')]),
);

let nats: TestNats;
let messaging: Messaging;
const connections = new Map<string, NatsConnection>();

beforeAll(async () => {
  nats = await startTestNats(natsUsers({ passwords, everything: EVERYTHING }));
  const access = (user: string) => ({ url: nats.url, user, password: passwords[user] });
  messaging = await Messaging.connect({ ...access(EVERYTHING), name: EVERYTHING }); // it makes the streams
  for (const user of USERS) connections.set(user, await connect(connectionOptions(access(user), user)));
});
afterAll(async () => {
  for (const connection of connections.values()) await connection.close();
  await messaging.onApplicationShutdown();
  await nats.stop();
});

type Attempt = 'publish' | 'subscription';

/** Tries each subject as this user; returns those that the server refused. */
async function refused(user: string, attempt: Attempt, subjects: string[]): Promise<string[]> {
  const connection = connections.get(user) as NatsConnection;
  const found: string[] = [];
  const statuses = connection.status();
  const watching = (async () => {
    for await (const status of statuses) {
      if (status.type !== 'error') continue;
      const { error } = status;
      if (error instanceof PermissionViolationError && error.operation === attempt) found.push(error.subject);
    }
  })();
  const heard = subjects.map((subject) => {
    if (attempt === 'publish') connection.publish(subject, '');
    else return connection.subscribe(subject, { callback: () => undefined });
    return undefined;
  });
  await connection.flush();
  for (const subscription of heard) if (subscription && !subscription.isClosed()) subscription.unsubscribe();
  await connection.flush();
  (statuses as unknown as { stop(): void }).stop();
  await watching;
  return found.sort();
}

const requests = (Object.values(contracts) as unknown[]).filter(
  (one): one is contracts.RequestContract => (one as { kind?: string } | null)?.kind === 'request',
);
const durableOf = ({ app, partitioned }: contracts.StreamReader): string => (partitioned ? `${app}-5` : app);

describe.each(USERS)('%s', (user) => {
  test('publishes no event of another service', async () => {
    const foreign = contracts.EVENTS.filter(({ by }) => !by.includes(user)).map(
      ({ name }) => `evt.5.${name}`,
    );
    expect(await refused(user, 'publish', foreign)).toEqual(foreign.sort());
  });

  test('answers nothing that another service is asked', async () => {
    const foreign = requests.filter(({ app }) => app !== user).map(({ subject }) => subject);
    expect(await refused(user, 'subscription', foreign)).toEqual(foreign.sort());
  });

  test('asks what its code asks, and nothing else', async () => {
    const foreign = requests.filter(({ subject }) => !NATS_RIGHTS[user]?.publish.includes(subject));
    const subjects = requests.map(({ subject }) => subject);
    expect(await refused(user, 'publish', subjects)).toEqual(foreign.map(({ subject }) => subject).sort());
  });

  test('hears no answer, no event and no command that is for another service', async () => {
    const others = USERS.filter((other) => other !== user).map((other) => `_INBOX.${other}.>`);
    const everything = [
      '>',
      '_INBOX.>',
      'evt.>',
      'cmd.>',
      'rpc.>',
      'own.>',
      'dead.>',
      '$JS.>',
      '$JS.API.>',
      '$SYS.>',
    ];
    expect(await refused(user, 'subscription', [...others, ...everything])).toEqual(
      [...others, ...everything].sort(),
    );
  });

  test('reads, changes and acknowledges no consumer of another service', async () => {
    const foreign = Object.values(contracts.STREAM_READERS)
      .filter(({ app }) => app !== user)
      .flatMap((reader) => {
        const at = `${contracts.STREAMS[reader.stream]}.${durableOf(reader)}`;
        return ['CREATE', 'INFO', 'MSG.NEXT', 'DELETE']
          .map((verb) => `$JS.API.CONSUMER.${verb}.${at}`)
          .concat(`$JS.ACK.${at}.1.1.1.1.1`);
      });
    expect(await refused(user, 'publish', foreign)).toEqual(foreign.sort());
  });

  test('deletes, empties and changes no stream, and reads none past its own consumers', async () => {
    const verbs = [
      'STREAM.DELETE',
      'STREAM.PURGE',
      'STREAM.UPDATE',
      'STREAM.RESTORE',
      'STREAM.SNAPSHOT',
      'DIRECT.GET',
    ];
    const subjects = ['COMMANDS', 'EVENTS', 'DEAD', 'OTHER'].flatMap((stream) => [
      ...verbs.map((verb) => `$JS.API.${verb}.${stream}`),
      `$JS.API.CONSUMER.CREATE.${stream}`,
    ]);
    subjects.push(
      '$JS.API.STREAM.CREATE.OTHER',
      '$JS.API.STREAM.MSG.GET.EVENTS',
      '$JS.API.STREAM.MSG.GET.COMMANDS',
    );
    // The doctor asks how far each stream is read; those who tell events ask it of theirs.
    if (user !== 'operator') subjects.push('$JS.API.CONSUMER.LIST.COMMANDS', '$JS.API.CONSUMER.LIST.DEAD');
    if (!['operator', ...TELLERS_OF_EVENTS].includes(user)) subjects.push('$JS.API.CONSUMER.LIST.EVENTS');
    if (user !== 'api-gateway')
      subjects.push('$JS.API.STREAM.MSG.GET.DEAD', '$JS.API.STREAM.MSG.DELETE.DEAD');
    expect(await refused(user, 'publish', subjects)).toEqual(subjects.sort());
  });

  test('speaks for no other service', async () => {
    const foreign = SERVICES.filter((other) => other !== user).flatMap((other) => [
      `notice.${other}.partition-freed`,
      `own.${other}.5`,
      `dead.${other}`,
      `_INBOX.${other}.guessed.0.1`,
    ]);
    expect(await refused(user, 'publish', foreign)).toEqual(foreign.sort());
  });

  test('may do all that its own rights say', async () => {
    const { publish = [], subscribe = [] } = NATS_RIGHTS[user] ?? {};
    const plain = (subjects: readonly string[]): string[] =>
      subjects.map((subject) => subject.replaceAll('<partition>', '5'));
    const harmless = plain(publish).filter((subject) => !subject.startsWith('$JS.API.STREAM.CREATE'));
    expect(await refused(user, 'publish', harmless)).toEqual([]);
    expect(await refused(user, 'subscription', plain(subscribe))).toEqual([]);
  });
});

test('the operator is the only one who can suspend, erase and make tenants', () => {
  for (const { subject } of [contracts.CreateTenant, contracts.SuspendTenant])
    expect(USERS.filter((user) => NATS_RIGHTS[user]?.publish.includes(subject))).toEqual(['operator']);
});

test('the rights are those of all partitions', () => {
  expect(PARTITIONS).toBe(contracts.PARTITION_COUNT);
});

test('a user without a password, and a password without a user, are named', () => {
  const { operator: _, ...rest } = passwords;
  expect(() => natsUsers({ passwords: { ...rest, nobody: 'x' } })).toThrow(
    'Users of NATS without rights or without a password: operator, tests, nobody',
  );
});
