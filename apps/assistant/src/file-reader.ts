import { parentPort, workerData } from 'node:worker_threads';
import { readingOf } from './files/text-of-file.js';

// The program of a thread that reads one file and ends: see `FileTexts`.
parentPort?.postMessage(await readingOf(workerData as Uint8Array<ArrayBuffer>));
