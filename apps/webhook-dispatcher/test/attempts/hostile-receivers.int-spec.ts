import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { TestEndpoint } from '@svc/contracts';
import { HostileHost, type ServiceProcess, startProcess, waitFor } from '@svc/testing';
import { Stage } from '../stage.js';

const SIMULATOR = fileURLToPath(new URL('../../../simulator/dist/bundle/main.js', import.meta.url));
const TIMEOUT_MS = 1_500;

const stage = Stage.ofThisFile({ WEBHOOK_TIMEOUT_MS: String(TIMEOUT_MS) });
let simulator: ServiceProcess;
beforeAll(async () => {
  await stage.boot();
  simulator = await startProcess(SIMULATOR, { SIMULATOR_PORT: '0', SIMULATOR_CONTROL_PORT: '0' });
});
afterAll(() => simulator.stop());

test.each([
  ['says nothing', 'silence', null, 'TIMEOUT'],
  ['never ends its head', 'endless-head', null, 'INVALID_ANSWER'],
  ['answers a byte a second', 'drip', null, 'TIMEOUT'],
  ['stops behind its head', 'silence-after-head', 200, null],
  ['sends its body a byte a second', 'drip-after-head', 200, null],
  ['never ends its body', 'endless-body', 200, null],
  ['hangs up in the middle of its body', 'cut', 200, null],
  ['encodes its body', 'gzip', 200, null],
  ['shows a page', 'wrong-type', 200, null],
  ['sends on for ever', 'redirect-loop', 302, 'REDIRECT_NOT_FOLLOWED'],
])(
  'a receiver that %s costs one connection, for the time of an attempt',
  async (_what, behaviour, status, error) => {
    const host = await HostileHost.start(String(simulator.ready['control']), 'http-host', behaviour);
    const tenantId = randomUUID();
    const { id: endpointId } = await stage.endpoint(tenantId, `${host.url}/hook`);
    const { result } = await stage.rpc.request(TestEndpoint, { tenantId, endpointId }, 15_000);
    expect(result).toMatchObject({ status, error });
    expect(result.durationMs).toBeLessThan(2 * TIMEOUT_MS);
    await waitFor('its connection to be gone', async () => (await host.counts()).open === 0);
    const { state, opened, bytesSent } = await host.counts();
    expect([state, opened]).toEqual(['RUNNING', 1]);
    // With what lies in the buffers of the system.
    expect(bytesSent).toBeLessThan(8_000_000);
    await host.stop();
  },
);
