// Says what each service may do on NATS: which subjects it may publish, hear and answer, which consumers of streams are its own. All of it
// follows from the contracts that its code uses (tools/house.mjs) and from who reads which stream (`STREAM_READERS`); nobody lists it by hand.

/** Stands for each partition: one line here, one for each partition on the server. */
const PARTITION = '<partition>';

/** Names the inboxes of a user: below the prefix that libs/messaging gives to each process. */
const inboxOf = (user) => `_INBOX.${user}.>`;

/** Lists what a process may do with streams as such: see them, and make those that are missing. It may neither change nor empty nor delete one. */
const streamsSeen = (contracts) =>
  Object.values(contracts.STREAMS).flatMap((name) => [
    `$JS.API.STREAM.CREATE.${name}`,
    `$JS.API.STREAM.INFO.${name}`,
  ]);

/** Lists what a reader may do with its own consumers, and with no others. */
function consumersOf({ app, stream, partitioned, only }, contracts) {
  const name = contracts.STREAMS[stream];
  const durable = partitioned ? `${app}-${PARTITION}` : app;
  const filter = `${stream === 'events' ? 'evt' : 'cmd'}.${partitioned ? `${PARTITION}.>` : only ? `*.${only.name}` : '>'}`;
  return [
    `$JS.API.CONSUMER.CREATE.${name}.${durable}.${filter}`,
    ...['INFO', 'MSG.NEXT'].map((verb) => `$JS.API.CONSUMER.${verb}.${name}.${durable}`),
    `$JS.ACK.${name}.${durable}.>`,
  ];
}

/** Says how far the others have read: what they have not is told again by who told it, when a stream is gone. */
const positionsOfReaders = (contracts) => `$JS.API.CONSUMER.LIST.${contracts.STREAMS.events}`;

const ofKind = (kind, { names, contracts }) =>
  [...names].map((name) => contracts[name]).filter((contract) => contract?.kind === kind);

/** Lists the subjects of the commands that a service sends. */
const commandsOf = ({ published, contracts }) =>
  ofKind('command', { names: published, contracts }).map(({ name }) => `cmd.*.${name}.*`);

/** Lists what one service may do. */
function rightsOfService(app, { names, published, deadLetters, owner }, contracts) {
  const used = { names, published, contracts };
  const readers = Object.values(contracts.STREAM_READERS).filter((reader) => reader.app === app);
  const events = contracts.EVENTS.filter(({ by }) => by.includes(app)).map(({ name }) => `evt.*.${name}`);
  const own = owner ? [contracts.ownerSubject(app, '*')] : [];
  return {
    publish: [
      ...streamsSeen(contracts),
      ...readers.flatMap((reader) => consumersOf(reader, contracts)),
      ...(deadLetters
        ? ['GET', 'DELETE'].map((verb) => `$JS.API.STREAM.MSG.${verb}.${contracts.STREAMS.dead}`)
        : []),
      ...commandsOf(used),
      contracts.deadLetterSubject(app),
      ...(events.length > 0 ? [positionsOfReaders(contracts), ...events] : []),
      `notice.${app}.*`,
      ...own,
      ...ofKind('request', used)
        .filter((one) => one.app !== app)
        .map(({ subject }) => subject),
    ].sort(),
    subscribe: [
      inboxOf(app),
      ...ofKind('event', used)
        .filter((one) => !one.by.includes(app))
        .map(({ name }) => `evt.*.${name}`),
      ...ofKind('notice', used).map(({ subject }) => subject),
      ...own,
      `rpc.${app}.*`,
    ].sort(),
  };
}

/** Lists what the operator looks at beside what the commands ask: how each service is, and who reads the streams. */
const lookedAt = (services, contracts) => [
  ...services.map(([app]) => contracts.checkUpOf(app).subject),
  ...Object.values(contracts.STREAMS).map((name) => `$JS.API.CONSUMER.LIST.${name}`),
];

/** Lists the rights of all services by their name, and those of the operator, who asks and answers nothing. */
export function natsRights({ services, operator, contracts }) {
  const rights = Object.fromEntries(
    services.map(([app, talk]) => [app, rightsOfService(app, talk, contracts)]),
  );
  const asked = ofKind('request', { names: operator, contracts }).map(({ subject }) => subject);
  const publish = [...asked, ...lookedAt(services, contracts)].sort();
  return { ...rights, operator: { publish, subscribe: [inboxOf('operator')] } };
}

/** Writes the rights as a module that libs can import without loading the contracts. */
export const rightsModule = (rights, note) => `${note}

/** What one user of NATS may publish and hear; \`${PARTITION}\` stands for each partition. */
export interface NatsRights {
  publish: readonly string[];
  subscribe: readonly string[];
}

/** Rights of each service and of the operator, by the name of the user. */
export const NATS_RIGHTS: Record<string, NatsRights> = ${JSON.stringify(rights, null, 2)};
`;
