import { expect, test } from '@jest/globals';
import { GetAuditLog, SetBotMode } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import {
  call,
  createTenant,
  database,
  fakes,
  gateway,
  rpc,
  startGateway,
  withGatewayProcess,
} from '../support/gateway-process.js';

withGatewayProcess();

test('a change of mode is in the audit log although the gateway was killed right after it', async () => {
  const { tenantId, apiKey, kid } = await createTenant('Crash');
  const { id } = fakes.addSession(tenantId);
  fakes.mute.add(SetBotMode.subject); // the gateway is caught waiting for the answer
  const unanswered = call(apiKey, `PUT /v1/sessions/${id}/external-config`, {
    ...{ enabled: true, webhookUrl: 'https://example.com/bot' },
  });
  await Promise.all([
    expect(unanswered).rejects.toThrow(),
    waitFor('the change of mode', () => fakes.sessions.get(id)?.state.botMode === 'EXTERNAL').then(() =>
      gateway.stop('SIGKILL'),
    ),
  ]);
  await startGateway();
  await database.query('UPDATE gateway.session_change SET settle_at = clock_timestamp()');
  const found = await waitFor(
    'the line in the audit log',
    async () => {
      const { items } = await rpc.request(GetAuditLog, { tenantId });
      return items.find(({ action }) => action === 'bot_mode.changed');
    },
    60_000,
  );
  expect(found).toMatchObject({
    ...{ actor: `key:${kid}`, target: id, details: { before: 'MANAGED', after: 'EXTERNAL' } },
  });
});
