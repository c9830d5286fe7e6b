import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { CreateSession, GetSession, GetSessionQr, ListSessions } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { Stage } from '../support.js';

let stage: Stage;

beforeAll(async () => void (stage = await Stage.start()));
afterAll(() => stage.stop());

test('a session whose number is linked to another one of its tenant says so, and nothing of other tenants', async () => {
  const phone = '15550117000';
  const one = await stage.link(phone);
  expect(await stage.get(one)).not.toHaveProperty('alsoLinkedIn');
  const two = await stage.link(phone);
  const theirs = { tenantId: randomUUID(), sessionId: randomUUID() };
  await stage.worker.rpc.request(CreateSession, { ...theirs, name: 'theirs' });
  const { qr } = await waitFor('their code', () => stage.worker.rpc.request(GetSessionQr, theirs));
  await stage.platform.call('POST', `/accounts/${phone}/scan`, { qr });
  const their = async () => (await stage.worker.rpc.request(GetSession, theirs)).session;
  await waitFor('their link', async () => (await their()).phone !== null);
  expect(await their()).not.toHaveProperty('alsoLinkedIn');
  expect(await stage.get(one)).toMatchObject({ alsoLinkedIn: [two] });
  const { sessions } = await stage.worker.rpc.request(ListSessions, {
    tenantId: stage.tenantId,
    limit: 200,
  });
  expect(sessions.find(({ id }) => id === two)).toMatchObject({ alsoLinkedIn: [one] });
  await stage.change(two, 'logout');
  await stage.reached(two, 'LOGGED_OUT');
  expect(await stage.get(one)).not.toHaveProperty('alsoLinkedIn');
});
