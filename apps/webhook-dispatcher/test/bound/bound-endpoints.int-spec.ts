import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  DeleteEndpoint,
  GetBoundEndpoint,
  PauseEndpoint,
  ReactivateEndpoint,
  UpdateEndpoint,
} from '@svc/contracts';
import { type ReceivedWebhook } from '@svc/testing';
import { signatureHeader } from '../../src/signing/signed-post.js';
import { Stage } from '../stage.js';

const stage = Stage.ofThisFile();
beforeAll(() => stage.boot());

test('a bound endpoint needs an address the first time, and names the field of the public API', async () => {
  const ref = { tenantId: randomUUID(), sessionId: randomUUID() };
  await expect(stage.bind(ref)).rejects.toMatchObject({
    code: 'VALIDATION_FAILED',
    meta: { fields: [{ field: 'webhookUrl' }] },
  });
  await expect(stage.bind({ ...ref, url: 'https://192.168.1.1/' })).rejects.toMatchObject({
    meta: {
      fields: [
        { field: 'webhookUrl', rule: expect.stringMatching(/^webhookUrl: destination not allowed, unless/) },
      ],
    },
  });
  expect(await stage.bind({ ...ref, enabled: false })).toBeNull();
  expect((await stage.rpc.request(GetBoundEndpoint, ref)).endpoint).toBeNull();
});

test('a bound endpoint is disabled and revived with its id and secret', async () => {
  const ref = { tenantId: randomUUID(), sessionId: randomUUID() };
  const made = await stage.bind({ ...ref, url: stage.at('/bot') });
  expect(made).toMatchObject({ status: 'ACTIVE', sessionId: ref.sessionId });
  const disabled = await stage.bind({ ...ref, enabled: false });
  expect(disabled).toMatchObject({ id: made?.id, status: 'DISABLED' });
  // A witness: once it has the event, the event is taken in, and not for an endpoint that was disabled.
  const witness = await stage.endpoint(ref.tenantId, stage.at('/witness'));
  await stage.producer.received(ref.tenantId, { ...ref, keyId: 'while disabled' });
  expect(await stage.pathsOf(1)).toEqual(['/witness']);
  await stage.rpc.request(DeleteEndpoint, { tenantId: ref.tenantId, endpointId: witness.id });
  const asked = { tenantId: ref.tenantId, endpointId: made?.id ?? '', reason: 'on', actor: 'key:ada' };
  for (const contract of [PauseEndpoint, ReactivateEndpoint]) {
    await expect(stage.rpc.request(contract, asked)).rejects.toMatchObject({
      code: 'SESSION_STATE_CONFLICT',
    });
  }
  const revived = await stage.bind(ref);
  expect(revived).toEqual(made);
  expect((await stage.rpc.request(GetBoundEndpoint, ref)).endpoint).toEqual(made);
  await stage.producer.received(ref.tenantId, { ...ref, keyId: 'after' });
  await stage.pathsOf(2);
  expect(stage.keyIds('/bot')).toEqual(['after']);
});

test('a bound endpoint signs with the new secret from the next attempt on when it is rotated', async () => {
  const ref = { tenantId: randomUUID(), sessionId: randomUUID() };
  const made = await stage.bind({ ...ref, url: stage.at('/bot') });
  const signedWith = (secret = ''): boolean => {
    const { headers, raw } = stage.receiver.received.at(-1) as ReceivedWebhook;
    return headers['x-svc-signature'] === signatureHeader(secret, Number(headers['x-svc-timestamp']), raw);
  };
  await stage.producer.received(ref.tenantId, ref);
  await stage.pathsOf(1);
  expect(signedWith(made?.secret)).toBe(true);
  const rotated = await stage.bind({ ...ref, rotateSecret: true });
  expect(rotated).toMatchObject({ id: made?.id, url: made?.url });
  expect(rotated?.secret).not.toBe(made?.secret);
  await stage.producer.received(ref.tenantId, ref);
  await stage.pathsOf(2);
  expect(signedWith(rotated?.secret)).toBe(true);
  expect(signedWith(made?.secret)).toBe(false);
});

test('a bound endpoint is not deleted as others are: its session would be left without a receiver', async () => {
  const ref = { tenantId: randomUUID(), sessionId: randomUUID() };
  const made = await stage.bind({ ...ref, url: stage.at('/bot') });
  const { tenantId } = ref;
  const endpointId = made?.id ?? '';
  const refusal = {
    code: 'SESSION_STATE_CONFLICT',
    message: expect.stringContaining('PUT /v1/sessions/:id/external-config'),
    meta: { endpointId, sessionId: ref.sessionId },
  };
  await expect(stage.rpc.request(DeleteEndpoint, { tenantId, endpointId })).rejects.toMatchObject(refusal);
  expect((await stage.rpc.request(GetBoundEndpoint, ref)).endpoint).toEqual(made);
  // A change that leaves the session its receiver is allowed.
  const renamed = { tenantId, endpointId, name: 'Bot', events: [] };
  expect((await stage.rpc.request(UpdateEndpoint, renamed)).endpoint.name).toBe('Bot');
  await stage.producer.received(tenantId, ref);
  await stage.pathsOf(1);
});

test('a bound endpoint may be narrowed to some kinds, if messages that arrive are among them', async () => {
  const ref = { tenantId: randomUUID(), sessionId: randomUUID() };
  const { tenantId } = ref;
  const made = await stage.bind({ ...ref, url: stage.at('/bot'), events: ['message.received'] });
  expect(made?.events).toEqual(['message.received']);
  const rule = 'events of an endpoint that is bound to a session must be empty or contain message.received';
  const refusal = { code: 'VALIDATION_FAILED', meta: { fields: [{ field: 'events', rule }] } };
  const without = { events: ['message.sent' as const], name: 'Mine' };
  const update = { tenantId, endpointId: made?.id ?? '' };
  await expect(stage.bind({ ...ref, ...without })).rejects.toMatchObject(refusal);
  await expect(stage.bind({ ...ref, sessionId: randomUUID(), ...without })).rejects.toMatchObject(refusal);
  await expect(stage.rpc.request(UpdateEndpoint, { ...update, ...without })).rejects.toMatchObject(refusal);
  expect((await stage.rpc.request(GetBoundEndpoint, ref)).endpoint).toEqual(made);
  // The filter stays where the call leaves it out.
  expect((await stage.bind(ref))?.events).toEqual(['message.received']);
  const wider = { ...update, events: ['message.read' as const, 'message.received' as const] };
  expect((await stage.rpc.request(UpdateEndpoint, wider)).endpoint.events).toEqual(wider.events);
  expect((await stage.bind({ ...ref, events: [] }))?.events).toEqual([]);
});

test('a bound endpoint is one, however many calls enable it at once', async () => {
  const ref = { tenantId: randomUUID(), sessionId: randomUUID() };
  const made = await Promise.all([1, 2, 3, 4, 5].map(() => stage.bind({ ...ref, url: stage.at('/bot') })));
  expect(new Set(made.map((one) => one?.id)).size).toBe(1);
  expect(new Set(made.map((one) => one?.secret)).size).toBe(1);
});

describe('calls that overtake each other', () => {
  const bound = async () => {
    const ref = { tenantId: randomUUID(), sessionId: randomUUID() };
    await stage.bind({ ...ref, url: stage.at('/bot'), modeVersion: 0 });
    const state = async () => (await stage.rpc.request(GetBoundEndpoint, ref)).endpoint?.status;
    const put = async (enabled: boolean, modeVersion: number, more: object = {}) =>
      (await stage.bind({ ...ref, enabled, modeVersion, ...more }))?.status;
    return { put, state };
  };

  test('leave an endpoint as the later version of the mode has it', async () => {
    const { put } = await bound();
    expect(await put(false, 2)).toBe('DISABLED');
    expect(await put(true, 1)).toBe('DISABLED');
    expect(await put(true, 2)).toBe('ACTIVE');
    expect(await put(false, 1)).toBe('ACTIVE');
    // A caller that enables under a version has seen that it was disabled under it.
    expect(await put(false, 2)).toBe('ACTIVE');
    expect(await put(false, 3)).toBe('DISABLED');
  });

  test('change what has nothing to do with the mode all the same', async () => {
    const { put, state } = await bound();
    await put(false, 2);
    await put(true, 1, { url: stage.at('/bot-2'), rotateSecret: true });
    expect(await state()).toBe('DISABLED');
    expect(await put(true, 2)).toBe('ACTIVE');
  });
});
