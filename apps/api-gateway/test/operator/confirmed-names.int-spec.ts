import { expect, test } from '@jest/globals';
import { ConfirmTenantName, GetAuditLog } from '@svc/contracts';
import { gateway, tenant, withGateway } from '../support/gateway.js';

withGateway();

const confirm = (name: string | null, tenantId = tenant.tenantId): Promise<object> =>
  gateway.service.rpc.request(ConfirmTenantName, { tenantId, name, operator: 'Ada' });

test('a name is confirmed and withdrawn by the operator, and the audit log says so', async () => {
  expect(await confirm('Acme Flowers')).toEqual({ tenantId: tenant.tenantId, name: 'Acme Flowers' });
  expect(await confirm(null)).toEqual({ tenantId: tenant.tenantId, name: null });
  const { items } = await gateway.service.rpc.request(GetAuditLog, { tenantId: tenant.tenantId });
  expect(items.slice(0, 2)).toMatchObject([
    { action: 'tenant.name_withdrawn', actor: 'operator:Ada' },
    { action: 'tenant.name_confirmed', actor: 'operator:Ada', details: { name: 'Acme Flowers' } },
  ]);
});

test.each(['WhatsApp Support', 'Whаtsаpp', 'Meta', 'Acme\u202eflesruoy', 'Acme\u200b', ' Acme', ''])(
  'the name %j is refused',
  async (name) => {
    await expect(confirm(name)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  },
);

test('a tenant that does not exist has no name', async () => {
  await expect(confirm('Acme', '0198c0de-0000-7000-8000-0000000000ff')).rejects.toMatchObject({
    code: 'TENANT_NOT_FOUND',
  });
});
