import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { RpcClient } from '@svc/messaging';
import { startTestNats, type TestNats } from '@svc/test-servers';
import { AuditChain } from '../src/audit-chain.js';
import { auditCases, type AuditWorld } from '../src/contract-cases/audit.js';

let nats: TestNats;
let chain: AuditChain;
let rpc: RpcClient;
let world: AuditWorld;

beforeAll(async () => {
  nats = await startTestNats();
  chain = await AuditChain.listen(nats.url);
  rpc = RpcClient.at({ url: nats.url }, 'test');
  world = { rpc, linesOf: (tenantId) => Promise.resolve(chain.of(tenantId)) };
});
afterAll(async () => {
  await rpc.onApplicationShutdown();
  await chain.stop();
  await nats.stop();
});

// The gateway runs the same cases against itself (apps/api-gateway/test/audit/contract-cases.int-spec.ts).
describe('the chain that stands for the gateway', () => {
  test.each(auditCases)('$name', ({ run }) => run(world));
});
