import { STREAM_READERS, type StreamReader, STREAMS } from '@svc/contracts';
import { type Durable, durablesOf } from '@svc/messaging';
import type { Finding } from './findings.js';

/** Durables of each stream by its name; a stream that there is not is absent. */
export type DurablesByStream = ReadonlyMap<string, readonly Durable[]>;

/** Lists durables that are missing, that nobody reads, and that belong to nobody. @param apps those that answer: the others read nothing anyway. */
export function findingsOfDurables(apps: ReadonlySet<string>, found: DurablesByStream): Finding[] {
  const readers: StreamReader[] = Object.values(STREAM_READERS);
  return [...found].flatMap(([stream, durables]) => {
    const own = readers.filter((reader) => STREAMS[reader.stream] === stream);
    const known = own.flatMap(durablesOf);
    return [
      ...own.filter(({ app }) => apps.has(app)).flatMap((reader) => unread(stream, reader, durables)),
      ...durables.filter(({ name }) => !known.includes(name)).map((durable) => stray(stream, durable)),
    ];
  });
}

function unread(stream: string, reader: StreamReader, durables: readonly Durable[]): Finding[] {
  const wanted = durablesOf(reader);
  const isRead = (name: string): boolean => durables.some((one) => one.name === name && one.isRead);
  const idle = wanted.filter((name) => !isRead(name));
  if (idle.length === 0) return [];
  const which = idle.length === 1 ? idle[0] : `${idle.length} of ${wanted.length} durables of ${reader.app}`;
  return [
    {
      what: `Nobody reads ${which} of the stream ${stream}.`,
      why: 'What is published for it waits, and ends with the time that the stream keeps messages.',
      remedy: `Restart ${reader.app} if that stays so; its log says what it cannot do.`,
      wrong: true,
    },
  ];
}

const stray = (stream: string, { name, pending }: Durable): Finding => ({
  what: `The durable ${name} of the stream ${stream} belongs to no service; ${pending} messages wait there.`,
  why: 'A durable that an earlier release or another program has left costs memory on NATS.',
  remedy: `Delete it on NATS unless a program of yours reads it: nats consumer rm ${stream} ${name}`,
  wrong: false,
});
