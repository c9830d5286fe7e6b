import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { STACK_FILE } from './data-dir.js';
import { readJson, writePrivateJson } from './private-file.js';

/** The description of a running stack for other people's tools: its shape is fixed. */
export interface StackDescription {
  gateway: string;
  /** Command line of the operator CLI; works from any folder. */
  operator: string[];
  platform: {
    websocket: string;
    control: string | null;
    trustRoot: string | null;
    ca: string | null;
    /** Address of the stand-in for language models. */
    llm: string | null;
  };
  postgres: string;
  nats: string;
  /** Passwords by user, where the nats-server is the stack's own: `operator` asks the services, `owner` may do everything. */
  natsUsers?: Record<string, string>;
  webhooks: { delaysMs: number[]; timeoutMs: number; allowedOrigins: string[] };
  /** `testKey`: where there is a sandbox. Null where a service is not here that keeps tenants. */
  demo: { tenantId: string; apiKey: string; testKey?: string; email: string; password: string } | null;
  /** Processes that are alive at this moment. */
  processes: { name: string; pid: number }[];
}

export function writeStackFile(dataDir: string, description: StackDescription): void {
  writePrivateJson(join(dataDir, STACK_FILE), description);
}

/** Reads the description that a start left here; after `kill -9` that start may be long gone. */
export function readStackFile(dataDir: string): StackDescription | undefined {
  return readJson(join(dataDir, STACK_FILE)) as StackDescription | undefined;
}

export function removeStackFile(dataDir: string): void {
  rmSync(join(dataDir, STACK_FILE), { force: true });
}
