import { join } from 'node:path';
import { CreateTenant, ListTenants } from '@svc/contracts';
import type { NatsAccess } from '@svc/messaging';
import { askServices } from '../services/service-requests.js';
import { DEMO_FILE } from '../state/data-dir.js';
import { readJson, writePrivateJson } from '../state/private-file.js';
import type { StackDescription } from '../state/stack-file.js';

type Demo = NonNullable<StackDescription['demo']>;

/** The plan of the demo tenant. */
export interface DemoPlan {
  dataDir: string;
  nats: NatsAccess;
  gateway: string;
  /** True when there is a sandbox, for which the tenant gets a test key. */
  hasSandbox: boolean;
}

/** Finds the demo tenant of this stack: the one of the last start while the gateway still has it, else a new one. */
export async function demoTenant({ dataDir, nats, gateway, hasSandbox }: DemoPlan): Promise<Demo> {
  const path = join(dataDir, DEMO_FILE);
  const previous = readJson(path) as Demo | undefined;
  const demo = await askServices(nats, async (rpc) => {
    const { items } = await rpc.request(ListTenants, {});
    if (previous && items.some(({ tenantId }) => tenantId === previous.tenantId)) return previous;
    const request = { name: 'Demo', plan: 'GROWTH', subscription: 'ACTIVE', internal: false } as const;
    const { tenantId, apiKey, dashboard } = await rpc.request(CreateTenant, request);
    return { tenantId, apiKey, email: dashboard.email, password: dashboard.password };
  });
  const whole = demo.testKey || !hasSandbox ? demo : { ...demo, testKey: await newTestKey(gateway, demo) };
  if (whole !== previous) writePrivateJson(path, whole);
  return whole;
}

async function newTestKey(gateway: string, { apiKey }: Demo): Promise<string> {
  const response = await fetch(`${gateway}/v1/api-keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ environment: 'TEST', name: 'Demo' }),
    signal: AbortSignal.timeout(10_000),
  });
  if (!response.ok) throw new Error(`the gateway answered ${response.status} to POST /v1/api-keys`);
  return ((await response.json()) as { secret: string }).secret;
}
