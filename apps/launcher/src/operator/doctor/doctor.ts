import { checkUpOf, STREAMS } from '@svc/contracts';
import { type Durable, type NatsAccess, Onlooker, unanswered } from '@svc/messaging';
import { SERVICES } from '../../services/services.js';
import { OPERATOR } from '../../state/secrets.js';
import { type DurablesByStream, findingsOfDurables } from './durables.js';
import { type Answer, type Finding, findingsOfProcesses } from './findings.js';

/** Pause before a second look at durables that nobody asks for messages, in ms: a reader may be between two questions. */
const SECOND_LOOK_MS = 1_000;

/** Findings of the doctor, and the processes that it has looked at. */
export interface Diagnosis {
  findings: Finding[];
  processes: { app: string; process: string; version: string; node: string; startedAt: string }[];
}

/**
 * Examines a running installation; it changes nothing.
 * @throws AppError `UPSTREAM_UNAVAILABLE` when NATS cannot be reached
 */
export async function examine(nats: NatsAccess): Promise<Diagnosis> {
  const apps = SERVICES.map(({ name }) => name);
  const onlooker = await Onlooker.connect(nats, OPERATOR).catch((error: unknown) => {
    throw unanswered('NATS', error);
  });
  try {
    const [answers, durables] = await Promise.all([answersOf(onlooker, apps), durablesRead(onlooker)]);
    const answering = new Set(answers.map(({ app }) => app));
    return {
      findings: [...findingsOfProcesses(apps, answers), ...findingsOfDurables(answering, durables)],
      processes: answers.map(({ app, process, version, node, startedAt }) => ({
        ...{ app, process, version, node, startedAt },
      })),
    };
  } finally {
    await onlooker.close();
  }
}

async function answersOf(onlooker: Onlooker, apps: readonly string[]): Promise<Answer[]> {
  const asked = apps.map(async (app) =>
    (await onlooker.askAll(checkUpOf(app), {})).map((reply) => ({ ...reply, app })),
  );
  return (await Promise.all(asked)).flat();
}

/** Lists the durables of all streams, after a second look at those that seemed unread. */
async function durablesRead(onlooker: Onlooker): Promise<DurablesByStream> {
  const first = await durablesOf(onlooker);
  if ([...first.values()].flat().every(({ isRead }) => isRead)) return first;
  await new Promise((resolve) => setTimeout(resolve, SECOND_LOOK_MS));
  const second = await durablesOf(onlooker);
  const wasRead = (stream: string, { name }: Durable): boolean =>
    first.get(stream)?.some((one) => one.name === name && one.isRead) ?? false;
  return new Map(
    [...second].map(([stream, durables]) => [
      stream,
      durables.map((one) => ({ ...one, isRead: one.isRead || wasRead(stream, one) })),
    ]),
  );
}

async function durablesOf(onlooker: Onlooker): Promise<Map<string, Durable[]>> {
  const looked = Object.values(STREAMS).map(
    async (stream) => [stream, await onlooker.durables(stream)] as const,
  );
  const found = await Promise.all(looked);
  return new Map(found.flatMap(([stream, durables]) => (durables ? [[stream, durables]] : [])));
}

/** Says whether something is wrong, and not only worth knowing. */
export const isWrong = ({ findings }: Diagnosis): boolean => findings.some(({ wrong }) => wrong);

/** Writes a diagnosis for people: the findings, those that are wrong first, then what was looked at. */
export function diagnosisText({ findings, processes }: Diagnosis): string {
  const sorted = [...findings.filter(({ wrong }) => wrong), ...findings.filter(({ wrong }) => !wrong)];
  const words = sorted.flatMap(({ what, why, remedy, wrong }) => [
    `${wrong ? '✗' : '·'} ${what}`,
    `    Why: ${why}`,
    `    Do: ${remedy}`,
    '',
  ]);
  const list = (values: string[]): string => [...new Set(values)].join(', ');
  const versions = list(processes.map(({ app, version }) => `${app} ${version}`));
  const nodes = list(processes.map(({ node }) => node));
  const count = processes.length === 1 ? '1 process' : `${processes.length} processes`;
  const seen = processes.length === 0 ? 'no process' : `${count} on Node ${nodes} (${versions})`;
  const looked = `Looked at ${seen}: configuration, keys, streams, durables, clocks, connections to the database.`;
  return [...words, `${isWrong({ findings, processes }) ? '' : 'All well. '}${looked}`].join('\n');
}
