import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { WorkerPartitionFreed } from '@svc/contracts';
import { schemaDataSource } from '@svc/database';
import { Messaging } from '@svc/messaging';
import { setUpLogger } from '@svc/service';
import { startTestNats, type TestDatabase, type TestNats } from '@svc/test-servers';
import { DataSource } from 'typeorm';
import { OwnerLine } from '../src/owner-line.js';
import { type OwnerOptions, PartitionOwner } from '../src/partition-owner.js';
import type { PartitionWork } from '../src/partition-work.js';
import { createLeaseDatabase, freePartitions } from './lease-database.js';

/** Lease times under which nothing expires and nobody renews within the test: notices alone make things happen soon. */
const IDLE = { leaseMs: 120_000, renewMs: 60_000, selfStopMs: 60_000 };

/** A process that owns partitions, and what it was made to do for them, in order: `take 5`, `lost 5`. */
export interface OwnerProcess {
  owner: PartitionOwner;
  line: OwnerLine;
  messaging: Messaging;
  dataSource: DataSource;
  calls: string[];
  callsOf(partition: number): string[];
}

/** Database of this file. */
export let database: TestDatabase;
let nats: TestNats;
const processes: OwnerProcess[] = [];

/** Sets up servers for the file; every partition is nobody's when a test begins, and its processes are gone when it ends. */
export function withProcesses(): void {
  beforeAll(async () => {
    setUpLogger('ownership', 'silent');
    [database, nats] = await Promise.all([createLeaseDatabase(), startTestNats()]);
  });
  beforeEach(() => freePartitions(database));
  afterEach(async () => {
    for (const one of processes.splice(0)) await end(one);
  });
  afterAll(() => Promise.all([database.drop(), nats.stop()]));
}

/** Makes a process whose answer to every question is its name. */
export async function aProcess(name: string, options: Partial<OwnerOptions> = {}): Promise<OwnerProcess> {
  const dataSource = await new DataSource(
    schemaDataSource({ url: database.url, schema: 'rooms', entities: [] }),
  ).initialize();
  const messaging = await Messaging.connect({ url: nats.url, name });
  const line = new OwnerLine(messaging, 'rooms');
  const owner = new PartitionOwner(dataSource, messaging, line, {
    ...{ ...IDLE, owner: name, freed: WorkerPartitionFreed },
    ...options,
  });
  const calls: string[] = [];
  const callsOf = (partition: number): string[] => calls.filter((call) => call.endsWith(` ${partition}`));
  const made = { owner, line, messaging, dataSource, calls, callsOf };
  processes.push(made);
  return made;
}

/** Makes a process and starts it. */
export async function startProcess(
  name: string,
  options: Partial<OwnerOptions> = {},
  work: Partial<PartitionWork> = {},
): Promise<OwnerProcess> {
  const made = await aProcess(name, options);
  await made.owner.start(workOf(name, made, work));
  return made;
}

/** Notes every call; a part of the work may be replaced. */
export function workOf(
  name: string,
  { calls, owner }: OwnerProcess,
  work: Partial<PartitionWork> = {},
): PartitionWork {
  const note = (what: string, partition: number): void =>
    void calls.push(`${what}${owner.fenceOf(partition) ? ' (ours)' : ''} ${partition}`);
  return {
    consumer: {
      startPartition: (partition) => note('start', partition),
      stopPartition: async (partition) => note('stop', partition),
    },
    answer: async () => ({ phone: '+15550100', exists: true, address: name }),
    recover: async ({ partition }) => note('recover', partition),
    onTake: async ({ partition }) => note('take', partition),
    onLose: async (partition, reason) => note(reason, partition),
    onFreed: async (partition) => note('freed', partition),
    ...work,
  };
}

/** Ends a process without a word, as SIGKILL does. */
export async function end({ owner, messaging, dataSource }: OwnerProcess): Promise<void> {
  if (dataSource.isInitialized) await dataSource.destroy();
  await owner.stop(); // its timers stop; no statement of it reaches the database any more
  if (!messaging.line.connection.isClosed()) await messaging.line.connection.close();
}
