import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type BotMode, GetSession, SetBotMode } from '@svc/contracts';
import { AuditChain, waitFor } from '@svc/testing';
import { Stage } from '../support.js';

let stage: Stage;
/** Receiver of audit facts. */
let chain: AuditChain;

beforeAll(async () => {
  stage = await Stage.start();
  chain = await AuditChain.listen(stage.worker.nats.url);
});
afterAll(async () => {
  await chain.stop();
  await stage.stop();
});
afterEach(() => void (chain.behaviour = 'append'));

describe('who answers a session', () => {
  const BY = 'key:ada';
  const aRef = async () => ({ tenantId: stage.tenantId, sessionId: await stage.create() });
  const lines = (sessionId: string) => chain.lines.filter(({ target }) => target === sessionId);
  const left = async () => (await stage.worker.database.query('SELECT id FROM sessions.audit_outbox')).length;

  test('is in the audit log when the call returns, and not again where nothing changed', async () => {
    const ref = await aRef();
    const set = (botMode: BotMode, more: object = {}) =>
      stage.worker.rpc.request(SetBotMode, { ...ref, botMode, actor: BY, ...more });
    for (const botMode of ['EXTERNAL', 'EXTERNAL', 'MANAGED', 'MANAGED'] as const) await set(botMode);
    const of = {
      id: expect.any(String),
      tenantId: ref.tenantId,
      at: expect.any(String),
      target: ref.sessionId,
    };
    const line = { ...of, actor: BY, action: 'bot_mode.changed' };
    expect(lines(ref.sessionId)).toEqual([
      { ...line, details: { before: 'MANAGED', after: 'EXTERNAL' } },
      { ...line, details: { before: 'EXTERNAL', after: 'MANAGED' } },
    ]);
  });

  test('has a version that every change to MANAGED raises', async () => {
    const ref = await aRef();
    const set = async (botMode: BotMode) =>
      (await stage.worker.rpc.request(SetBotMode, { ...ref, botMode })).modeVersion;
    expect((await stage.worker.rpc.request(GetSession, ref)).modeVersion).toBe(0);
    expect([
      await set('EXTERNAL'),
      await set('MANAGED'),
      await set('MANAGED'),
      await set('EXTERNAL'),
    ]).toEqual([...[0, 1, 2, 2]]);
    expect((await stage.worker.rpc.request(GetSession, ref)).modeVersion).toBe(2);
  });

  test('changes only where the version still holds, if one is given', async () => {
    const ref = await aRef();
    const set = (botMode: BotMode, more: object = {}) =>
      stage.worker.rpc.request(SetBotMode, { ...ref, botMode, ...more });
    await set('MANAGED');
    expect(await set('EXTERNAL', { ifVersion: 0 })).toMatchObject({
      session: { botMode: 'MANAGED' },
      modeVersion: 1,
    });
    expect(lines(ref.sessionId)).toEqual([]);
    expect(await set('EXTERNAL', { ifVersion: 1 })).toMatchObject({
      session: { botMode: 'EXTERNAL' },
      modeVersion: 1,
    });
    expect(lines(ref.sessionId)).toHaveLength(1);
  });

  test('has one line per change, however many change it at once', async () => {
    const ref = await aRef();
    const modes = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? 'EXTERNAL' : 'MANAGED') as BotMode);
    await Promise.all(modes.map((botMode) => stage.worker.rpc.request(SetBotMode, { ...ref, botMode })));
    const { session, modeVersion } = await stage.worker.rpc.request(GetSession, ref);
    expect(modeVersion).toBe(10);
    const changes = lines(ref.sessionId).map(({ details }) => details['after']);
    const external = changes.filter((after) => after === 'EXTERNAL').length;
    expect(external - (changes.length - external)).toBe(session.botMode === 'EXTERNAL' ? 1 : 0);
  });

  test('is told to other services with every change, and not where nothing changed', async () => {
    const ref = await aRef();
    const set = (botMode: BotMode) => stage.worker.rpc.request(SetBotMode, { ...ref, botMode, actor: BY });
    for (const botMode of ['EXTERNAL', 'EXTERNAL', 'MANAGED', 'MANAGED'] as const) await set(botMode);
    const told = () => stage.eventsOf('session.mode_changed', ref.sessionId);
    await waitFor('both events', () => told().length === 2);
    const of = { sessionId: ref.sessionId, actor: BY, timestamp: expect.stringMatching(/Z$/) };
    expect(told()).toEqual([
      { ...of, before: 'MANAGED', botMode: 'EXTERNAL', modeVersion: 0 },
      { ...of, before: 'EXTERNAL', botMode: 'MANAGED', modeVersion: 1 },
    ]);
  });

  test('fails over from EXTERNAL and comes back from a fail-over alone, each with its reason, line and events', async () => {
    const ref = await aRef();
    const { sessionId } = ref;
    const set = async (botMode: BotMode, more: object = {}) => {
      const { session, modeVersion } = await stage.worker.rpc.request(SetBotMode, {
        ...ref,
        botMode,
        ...more,
      });
      return [session.botMode, session.botModeReason, modeVersion];
    };
    const over = (ifVersion: number) => set('MANAGED', { ifVersion, reason: 'FAILOVER' });
    const back = (ifVersion: number) => set('EXTERNAL', { ifVersion, reason: 'FAILBACK' });
    expect(await over(0)).toEqual(['MANAGED', null, 0]);
    await set('EXTERNAL');
    expect(await back(0)).toEqual(['EXTERNAL', null, 0]);
    expect(await over(0)).toEqual(['MANAGED', 'FAILOVER', 1]);
    expect((await stage.worker.rpc.request(GetSession, ref)).session.botModeReason).toBe('FAILOVER');
    expect(await over(0)).toEqual(['MANAGED', 'FAILOVER', 1]);
    expect(await back(1)).toEqual(['EXTERNAL', null, 1]);
    // A mode that its tenant has set is not taken back.
    await over(1);
    expect(await set('MANAGED')).toEqual(['MANAGED', null, 3]);
    expect(await back(2)).toEqual(['MANAGED', null, 3]);
    expect(await back(3)).toEqual(['MANAGED', null, 3]);
    const asked = { before: 'MANAGED', after: 'EXTERNAL' };
    const failed = { before: 'EXTERNAL', after: 'MANAGED', reason: 'FAILOVER' };
    expect(lines(sessionId).map(({ actor, details }) => [actor, details])).toEqual([
      ['system', asked],
      ['system', failed],
      ['system', { ...asked, reason: 'FAILBACK' }],
      ['system', failed],
    ]);
    const told = (event: string) => stage.eventsOf(event, sessionId);
    await waitFor('all events', () => told('session.bot_mode_changed').length === 4);
    const reasons = [undefined, 'FAILOVER', 'FAILBACK', 'FAILOVER'];
    expect(told('session.mode_changed')).toMatchObject(reasons.map((reason) => (reason ? { reason } : {})));
    const timestamp = expect.stringMatching(/Z$/);
    const modes = ['EXTERNAL', 'MANAGED', 'EXTERNAL', 'MANAGED'];
    expect(told('session.bot_mode_changed')).toEqual(
      modes.map((botMode, n) => ({ sessionId, botMode, reason: reasons[n] ?? null, timestamp })),
    );
  });

  test('has its line once although its answer was lost, or nobody was there', async () => {
    const ref = await aRef();
    chain.behaviour = 'lose';
    await stage.worker.rpc.request(SetBotMode, { ...ref, botMode: 'EXTERNAL' });
    chain.behaviour = 'ignore';
    await stage.worker.rpc.request(SetBotMode, { ...ref, botMode: 'MANAGED' });
    expect(lines(ref.sessionId)).toHaveLength(1);
    chain.behaviour = 'append';
    await waitFor('the outbox to be empty', async () => (await left()) === 0);
    expect(lines(ref.sessionId)).toMatchObject([{ actor: 'system' }, { details: { after: 'MANAGED' } }]);
  });
});
