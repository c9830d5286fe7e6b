import { defineNotice } from '../contract.js';
import { Nothing } from '../requests/refs.js';

/** A session worker gave a partition back: nobody waits for the next renewal to take it. */
export const WorkerPartitionFreed = defineNotice('session-worker', 'partition-freed', Nothing);
