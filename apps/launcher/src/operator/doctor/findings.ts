import type { CheckUpReply } from '@svc/contracts';

/** Something that an operator should change, or at least know. */
export interface Finding {
  what: string;
  why: string;
  remedy: string;
  /** False: it may well be meant so. */
  wrong: boolean;
}

/** An answer of one process, with the app that it belongs to. */
export interface Answer extends CheckUpReply {
  app: string;
}

/** Most that a clock may differ from the database's, in ms. */
const CLOCK_LIMIT_MS = 1_000;

/** Lists what is wrong with the processes, by what they and their silence say. @param apps those that should answer. */
export function findingsOfProcesses(apps: readonly string[], answers: readonly Answer[]): Finding[] {
  return [
    ...silent(apps, answers),
    ...versions(answers),
    ...development(answers),
    ...refusals(answers),
    ...streams(answers),
    ...databases(answers),
    ...logins(answers),
    ...clocks(answers),
    ...pools(answers),
    ...keys(answers),
  ];
}

const silent = (apps: readonly string[], answers: readonly Answer[]): Finding[] =>
  apps
    .filter((app) => !answers.some((answer) => answer.app === app))
    .map((app) => ({
      what: `${app} does not answer.`,
      why: 'What it is asked fails, and what it reads waits.',
      remedy: `Start ${app}, or see in its log why it ends or hangs; NATS_URL names the same servers for all.`,
      wrong: true,
    }));

const logins = (answers: readonly Answer[]): Finding[] =>
  [...appsBy(answers, ({ database }) => (database?.loginMayMore ? ['more'] : []))].map(([, apps]) => ({
    what: `The login to the database may do more than use one schema: ${apps}.`,
    why: 'Whoever takes over such a service has what all services know.',
    remedy: 'Give each service a login of its own: "operator database grant" makes them (docs/keys.md).',
    wrong: true,
  }));

/** Each service has a version of its own: only two of the same service are worth a word. */
function versions(answers: readonly Answer[]): Finding[] {
  const apps = [...new Set(answers.map(({ app }) => app))];
  return apps.flatMap((app) => {
    const all = new Set(answers.filter((answer) => answer.app === app).map(({ version }) => version));
    if (all.size < 2) return [];
    return {
      what: `Several versions of ${app} run: ${[...all].join(', ')}.`,
      why: 'That is meant for the time of a roll-out.',
      remedy: `Roll ${app} out in one version.`,
      wrong: false,
    };
  });
}

function development(answers: readonly Answer[]): Finding[] {
  const apps = namesOf(answers.filter(({ production }) => !production));
  if (apps === '') return [];
  return [
    {
      what: `SVC_MODE is development: ${apps}.`,
      why: 'It allows local receivers and platforms, commands that move time, and all that production refuses.',
      remedy: 'Set SVC_MODE=production, which is the default.',
      wrong: true,
    },
  ];
}

const refusals = (answers: readonly Answer[]): Finding[] =>
  [...appsBy(answers, (answer) => answer.refusals)].map(([sentence, apps]) => ({
    what: `${sentence}.`,
    why: 'A start in production refuses it.',
    remedy: `Set ${sentence.split(' ')[0]} of ${apps}.`,
    wrong: true,
  }));

const streams = (answers: readonly Answer[]): Finding[] =>
  [...appsBy(answers, (answer) => answer.streams)].map(([sentence, apps]) => ({
    what: sentence,
    why: `That is not what ${apps} wants: messages are kept for another time, or by fewer servers.`,
    remedy:
      'Change the stream on NATS, or NATS_STREAM_REPLICAS where only num_replicas differs. A service that starts makes one that is missing.',
    wrong: true,
  }));

const databases = (answers: readonly Answer[]): Finding[] =>
  [...appsBy(answers, ({ database }) => (database === null ? ['away'] : []))].map(([, apps]) => ({
    what: `The database does not answer ${apps}.`,
    why: 'Nothing is accepted or delivered until it does.',
    remedy: 'Start the database, or set DATABASE_URL.',
    wrong: true,
  }));

const clocks = (answers: readonly Answer[]): Finding[] =>
  answers.flatMap(({ app, process, database }) => {
    const ahead = database?.clockAheadMs ?? 0;
    if (Math.abs(ahead) <= CLOCK_LIMIT_MS) return [];
    const seconds = `${(Math.abs(ahead) / 1_000).toFixed(1)} s ${ahead > 0 ? 'ahead of' : 'behind'}`;
    return {
      what: `The clock of ${app} (${process}) is ${seconds} the clock of the database.`,
      why: 'Receivers refuse signatures whose time is wrong, and what is due comes early or late.',
      remedy: 'Have the clocks of both machines follow the same source of time.',
      wrong: true,
    };
  });

function pools(answers: readonly Answer[]): Finding[] {
  const known = answers.flatMap(({ database }) => database ?? []);
  const servers = new Set(known.map(({ serverStartedAt }) => serverStartedAt));
  return [...servers].flatMap((server) => {
    const states = known.filter(({ serverStartedAt }) => serverStartedAt === server);
    const most = states.reduce((sum, { pool }) => sum + pool, 0);
    const connections = Math.min(...states.map((state) => state.connections));
    if (most <= connections) return [];
    return {
      what: `${states.length} processes open up to ${most} connections; their database has ${connections} for them.`,
      why: 'Under load, connections are refused and what needed them fails.',
      remedy: 'Set a lower DATABASE_POOL of the services, or a higher max_connections of the database.',
      wrong: true,
    };
  });
}

const keys = (answers: readonly Answer[]): Finding[] =>
  answers.flatMap(({ app, process, startedAt, keysBeside }) =>
    keysBeside.map((name) => ({
      what: `${app} (${process}) has had ${name} since ${startedAt} or longer.`,
      why: 'A key that was changed still opens what it has sealed, for whoever has it.',
      remedy: `Take ${name} away once nothing needs it: docs/keys.md, step 3.`,
      wrong: false,
    })),
  );

/** Collects for each key the apps that have it, as words. */
function appsBy(
  answers: readonly Answer[],
  keysOf: (answer: Answer) => readonly string[],
): Map<string, string> {
  const found = [...new Set(answers.flatMap(keysOf))];
  return new Map(
    found.map((key) => [key, namesOf(answers.filter((answer) => keysOf(answer).includes(key)))]),
  );
}

const namesOf = (answers: readonly Answer[]): string =>
  [...new Set(answers.map(({ app }) => app))].join(', ');
