import { join } from 'node:path';
import { CreateTenant, ListTenants } from '@svc/contracts';
import { askServices } from './ask.js';
import { DEMO_FILE } from './data-dir.js';
import { readJson, writePrivateJson } from './private-file.js';
import type { StackDescription } from './stack-file.js';

type Demo = StackDescription['demo'];

/** The demo tenant of this stack: the one of the last start while the gateway still knows it, else a new one. */
export async function demoTenant(dataDir: string, natsUrl: string): Promise<Demo> {
  const path = join(dataDir, DEMO_FILE);
  const known = readJson(path) as Demo | undefined;
  return askServices(natsUrl, async (rpc) => {
    const { items } = await rpc.request(ListTenants, {});
    if (known && items.some(({ tenantId }) => tenantId === known.tenantId)) return known;
    const request = { name: 'Demo', plan: 'GROWTH', subscription: 'ACTIVE', internal: false } as const;
    const { tenantId, apiKey, dashboard } = await rpc.request(CreateTenant, request);
    const demo = { tenantId, apiKey, email: dashboard.email, password: dashboard.password };
    writePrivateJson(path, demo);
    return demo;
  });
}
