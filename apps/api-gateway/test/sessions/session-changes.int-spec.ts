import { afterEach, describe, expect, test } from '@jest/globals';
import {
  ChangeSession,
  DeleteBoundEndpoint,
  GetAuditLog,
  GetBoundEndpoint,
  SetBotMode,
  type WebhookEndpointWithSecret,
} from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { DataSource } from 'typeorm';
import { SessionChange } from '../../src/sessions/session-change.entity.js';
import { SessionChanges } from '../../src/sessions/session-changes.service.js';
import { type Answer, gateway, tenant, withGateway } from '../support/gateway.js';

withGateway();

afterEach(() => gateway.fakes.mute.clear());

const webhookUrl = 'https://example.com/bot';
const session = (): string => gateway.fakes.addSession(tenant.tenantId).id;
const put = (id: string, body: object): Promise<Answer> =>
  gateway.call(tenant.apiKey, `PUT /v1/sessions/${id}/external-config`, body);
const modeOf = (id: string): string | undefined => gateway.fakes.sessions.get(id)?.state.botMode;
const boundTo = (id: string): WebhookEndpointWithSecret | undefined =>
  [...gateway.fakes.dispatcher.endpoints.values()].find(({ endpoint }) => endpoint.sessionId === id)
    ?.endpoint;
const sql = (statement: string, values: unknown[] = []): Promise<object[]> =>
  gateway.service.database.query(statement, values);

/** Changes of a session in its audit log, oldest first. */
async function changesOf(id: string): Promise<unknown[]> {
  const { items } = await gateway.service.rpc.request(GetAuditLog, { tenantId: tenant.tenantId });
  const own = items.filter(({ target, action }) => target === id && action !== 'webhook_secret.read');
  return own.reverse().map(({ action, details }) => [action, details]);
}

/** No change is under way: whatever is to be written is written. What was put off is due now. */
async function settled(id: string): Promise<void> {
  await sql('UPDATE gateway.session_change SET settle_at = clock_timestamp() WHERE session_id = $1', [id]);
  await waitFor(
    'the end of the change',
    async () => (await sql('SELECT 1 FROM gateway.session_change WHERE session_id = $1', [id])).length === 0,
  );
}

const ENABLED = ['bot_mode.changed', { before: 'MANAGED', after: 'EXTERNAL' }];
const DISABLED = ['bot_mode.changed', { before: 'EXTERNAL', after: 'MANAGED' }];
const ROTATED = ['webhook_secret.rotated', {}];

describe('the audit log gets a change once', () => {
  test('also when it cannot be written at first', async () => {
    const id = session();
    await sql(`CREATE FUNCTION gateway.refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN IF new.action = 'bot_mode.changed' THEN RAISE 'the disk is full'; END IF; RETURN new; END $$`);
    await sql(
      `CREATE TRIGGER refuse BEFORE INSERT ON gateway.audit_log FOR EACH ROW EXECUTE FUNCTION gateway.refuse()`,
    );
    try {
      expect((await put(id, { enabled: true, webhookUrl })).status).toBe(200);
      expect(modeOf(id)).toBe('EXTERNAL');
      expect(await changesOf(id)).toEqual([]);
    } finally {
      await sql('DROP FUNCTION gateway.refuse CASCADE');
    }
    await settled(id);
    expect(await changesOf(id)).toEqual([ENABLED]);
  });

  test('also when the answer to a step got lost', async () => {
    const id = session();
    await put(id, { enabled: true, webhookUrl });
    gateway.fakes.mute.add(SetBotMode.subject);
    expect(await put(id, { enabled: false, rotateSecret: true })).toMatchObject({
      status: 504,
      body: { code: 'UPSTREAM_TIMEOUT' },
    });
    gateway.fakes.mute.clear();
    await settled(id);
    expect(await changesOf(id)).toEqual([ENABLED, DISABLED]);
    // What was left undone is done by the repeat, and only that is new.
    expect((await put(id, { enabled: false, rotateSecret: true })).status).toBe(200);
    expect(boundTo(id)?.status).toBe('DISABLED');
    expect(await changesOf(id)).toEqual([ENABLED, DISABLED, ROTATED]);
  });

  test('also when several finish what a crash has left', async () => {
    const { id } = gateway.fakes.addSession(tenant.tenantId, { botMode: 'EXTERNAL' });
    const change = {
      ...{
        sessionId: id,
        id,
        tenantId: tenant.tenantId,
        actor: 'key:crashed',
        modeBefore: 'MANAGED' as const,
      },
      ...{ secretBefore: null, settleAt: new Date(Date.now() + 3_600_000) },
    };
    await gateway.service.get(DataSource).getRepository(SessionChange).insert(change);
    const changes = gateway.service.get(SessionChanges);
    await Promise.all(Array.from({ length: 8 }, () => changes.settle(change)));
    expect(await changesOf(id)).toEqual([ENABLED]);
  });

  test('and a step that was refused not at all', async () => {
    const id = session();
    expect((await put(id, { enabled: true, webhookUrl: 'http://example.com' })).status).toBe(400);
    await gateway.fakes.without(SetBotMode, async () => {
      expect((await put(id, { enabled: true, webhookUrl, rotateSecret: true })).status).toBe(503);
    });
    expect(await changesOf(id)).toEqual([]);
    await gateway.fakes.without(SetBotMode, async () => {
      expect((await put(id, { enabled: true, rotateSecret: true })).status).toBe(503);
    });
    expect(await changesOf(id)).toEqual([ROTATED]);
    expect((await put(id, { enabled: true })).status).toBe(200);
    expect(await changesOf(id)).toEqual([ROTATED, ENABLED]);
  });
});

describe('changes of one session', () => {
  test('at the same time never leave it in external mode without a receiver, and are all told', async () => {
    const id = session();
    await put(id, { enabled: true, webhookUrl });
    for (let round = 0; round < 10; round += 1) {
      const answers = await Promise.all([true, false, true].map((enabled) => put(id, { enabled })));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect([modeOf(id), boundTo(id)?.status]).toEqual(
        modeOf(id) === 'EXTERNAL' ? ['EXTERNAL', 'ACTIVE'] : ['MANAGED', 'DISABLED'],
      );
    }
    const changes = await changesOf(id);
    expect(changes).toEqual(changes.map((_, i) => (i % 2 === 0 ? ENABLED : DISABLED)));
    expect(changes.length % 2 === 1).toBe(modeOf(id) === 'EXTERNAL');
  });

  test('wait for one that is under way, and not for ever', async () => {
    const id = session();
    await sql(
      `INSERT INTO gateway.session_change (session_id, id, tenant_id, actor, settle_at)
       VALUES ($1, $1, $2, 'key:other', clock_timestamp() + interval '1 hour')`,
      [id, tenant.tenantId],
    );
    const answer = await put(id, { enabled: true, webhookUrl });
    expect(answer).toMatchObject({ status: 503, body: { code: 'UPSTREAM_UNAVAILABLE' } });
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(modeOf(id)).toBe('MANAGED');
    const waiting = put(id, { enabled: true, webhookUrl });
    await sql('UPDATE gateway.session_change SET settle_at = clock_timestamp() WHERE session_id = $1', [id]);
    expect((await waiting).status).toBe(200);
  });
});

describe('a deleted session', () => {
  const remove = (id: string): Promise<Answer> => gateway.call(tenant.apiKey, `DELETE /v1/sessions/${id}`);

  test('takes its endpoint with it, and says who did it', async () => {
    const id = session();
    await put(id, { enabled: true, webhookUrl });
    const endpointId = boundTo(id)?.id;
    expect((await remove(id)).status).toBe(204);
    const by = `key:${tenant.kid}`;
    expect(gateway.fakes.dispatcher.actors.slice(-2)).toEqual([by, by]);
    const listed = await gateway.call(tenant.apiKey, 'GET /v1/webhooks?limit=200');
    expect((listed.body['items'] as { id: string }[]).map((one) => one.id)).not.toContain(endpointId);
  });

  test('is deleted while the dispatcher is away, and its endpoint when the dispatcher is back', async () => {
    const id = session();
    await put(id, { enabled: true, webhookUrl });
    await gateway.fakes.without(DeleteBoundEndpoint, () =>
      gateway.fakes.without(GetBoundEndpoint, async () => {
        expect((await remove(id)).status).toBe(204);
        expect((await remove(id)).status).toBe(404);
        expect(gateway.fakes.sessions.has(id)).toBe(false);
        expect(boundTo(id)).toBeDefined();
      }),
    );
    await settled(id);
    expect(boundTo(id)).toBeUndefined();
  });

  test('that is enabled at the same moment leaves no endpoint behind', async () => {
    for (let round = 0; round < 10; round += 1) {
      const id = session();
      const [enabled, deleted] = await Promise.all([put(id, { enabled: true, webhookUrl }), remove(id)]);
      expect([200, 404]).toContain(enabled.status);
      expect(deleted.status).toBe(204);
      expect(boundTo(id)).toBeUndefined();
    }
  });

  test('is not deleted, and keeps its endpoint, while its owner is away', async () => {
    const id = session();
    await put(id, { enabled: true, webhookUrl });
    await gateway.fakes.without(ChangeSession, async () => {
      expect((await remove(id)).status).toBe(503);
    });
    await settled(id);
    expect(boundTo(id)?.status).toBe('ACTIVE');
  });
});
