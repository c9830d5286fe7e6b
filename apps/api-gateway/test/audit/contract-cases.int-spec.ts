import { describe, test } from '@jest/globals';
import { GetAuditLog } from '@svc/contracts';
import { auditCases, type AuditWorld } from '@svc/testing';
import { gateway, withGateway } from '../support/gateway.js';

withGateway();

const world = (): AuditWorld => {
  const { rpc } = gateway.service;
  return {
    rpc,
    linesOf: async (tenantId) => (await rpc.request(GetAuditLog, { tenantId })).items.toReversed(),
  };
};

// The tests of those who deliver facts use a chain that passes the same cases (libs/testing/test/audit-chain.int-spec.ts).
describe('the gateway keeps the contract of its audit log', () => {
  test.each(auditCases)('$name', ({ run }) => run(world()));
});
