import { defineNotice } from '../contract.js';
import { Nothing } from '../requests/refs.js';

/** A session worker freed a partition: another one takes it now, and does not wait for its next renewal. */
export const WorkerPartitionFreed = defineNotice('session-worker', 'partition-freed', Nothing);
