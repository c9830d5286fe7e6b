import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { CreateSession } from '@svc/contracts';
import { HostileHost, waitFor } from '@svc/testing';
import { LONG_MS, Stage } from '../support.js';

// With the limits of an installation: that of a tunnel is shorter than that of a login.
let stage: Stage;
beforeAll(async () => {
  stage = await Stage.start({ WEBHOOK_ALLOWED_ORIGINS: 'http://127.0.0.1:*' });
});
afterAll(() => stage.stop());

test.each(['silence', 'drip'])(
  'a proxy of %s that outlasts the limit of a tunnel fails its session, and ends no worker',
  async (behaviour) => {
    const host = await HostileHost.start(stage.platform.control, 'http-proxy', behaviour);
    const session = { tenantId: randomUUID(), sessionId: randomUUID(), name: 'x', proxy: host.url };
    await stage.worker.rpc.request(CreateSession, session, LONG_MS);
    await waitFor('a second attempt', async () => (await host.counts()).opened >= 2, LONG_MS);
    expect((await host.counts()).mostOpen).toBe(1);
    await host.stop();
  },
);
