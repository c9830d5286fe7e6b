import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Abstract } from '@nestjs/common';
import { SetTyping } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { Vault } from '../../src/credentials/vault.js';
import { KeyWriter } from '../../src/journal/key-writer.js';
import { MediaService } from '../../src/media/media.service.js';
import { RunnersService } from '../../src/runners/runners.service.js';
import { SendingService } from '../../src/sending/sending.service.js';
import { PlatformVersions } from '../../src/versions/platform-versions.js';
import { LONG_MS, Stage } from '../support.js';

const PHONE = '15550111101';
const CONTACT = '15550211101';
let stage: Stage;

beforeAll(async () => {
  stage = await Stage.start();
});
afterAll(() => stage.stop());

/** Collections of the worker that have an entry for a session, or for what is under way in it. */
const COLLECTIONS: [Abstract<object>, string][] = [
  [RunnersService, 'runners'],
  [SendingService, 'senders'],
  [KeyWriter, 'underWay'],
  [Vault, 'boxes'],
  [MediaService, 'waits'],
  [MediaService, 'inHand'],
  [PlatformVersions, 'refused'],
];

/** Names the collections that are not empty. */
const remembering = (): string[] =>
  COLLECTIONS.filter(([type, field]) => {
    const { [field]: collection } = stage.worker.get(type) as Record<string, Map<string, unknown>>;
    return collection?.size !== 0;
  }).map(([{ name }, field]) => `${name}.${field}`);

test('a session that is deleted leaves nothing in the memory of its worker', async () => {
  const sessionId = await stage.link(PHONE);
  await stage.event('message.sent', await stage.send(sessionId, CONTACT, 'Hello'));
  const content = { type: 'image', media: { size: 1_000 } };
  await stage.platform.call('POST', `/contacts/${CONTACT}/messages`, { to: PHONE, content });
  const received = () => stage.eventsOf('message.received', sessionId)[0];
  await waitFor('the file', received, LONG_MS);
  const ref = { tenantId: stage.tenantId, sessionId };
  await stage.worker.rpc.request(SetTyping, { ...ref, to: `${CONTACT}@s.whatsapp.net`, state: 'composing' });
  expect(remembering()).toEqual(expect.arrayContaining(['RunnersService.runners', 'Vault.boxes']));
  await stage.change(sessionId, 'delete');
  await waitFor('the deletion', () => stage.eventsOf('session.deleted', sessionId)[0], LONG_MS);
  await waitFor('the memory to be empty', () => remembering().length === 0, LONG_MS);
});
