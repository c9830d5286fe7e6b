import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { MessageReceivedV1 } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { keyIdOf, LONG_MS, type Stage } from '../support.js';
import { WorkerProcess } from '../worker-process.js';

const phone = '15550141000';
const contact = '15550241000';
const other = '15550241001';

let stage: Stage;
let sessionId: string;

beforeAll(async () => {
  ({ stage } = await WorkerProcess.stage());
  sessionId = await stage.link(phone);
});
afterAll(() => stage.stop());

const write = async (body: object, from = contact): Promise<string> =>
  (await stage.platform.call<{ id: string }>('POST', `/contacts/${from}/messages`, { to: phone, ...body }))
    .id;
const onPhone = async (body: object): Promise<string> =>
  (await stage.platform.call<{ id: string }>('POST', `/accounts/${phone}/messages`, { to: contact, ...body }))
    .id;
const event = (keyId: string): Promise<MessageReceivedV1> =>
  waitFor(
    'message.received',
    () => stage.eventsOf('message.received', sessionId).find((data) => data['keyId'] === keyId),
    LONG_MS,
  ) as Promise<unknown> as Promise<MessageReceivedV1>;
const editOf = (targetKeyId: string, sealed: object = {}) => ({
  content: { type: 'edit', text: 'at three', targetKeyId, sealed },
});

const FORMS = [
  ['lid', 'lid', 'lid'],
  ['lid', 'pn', 'pn'],
  ['pn', 'lid', 'lid'],
  ['pn-only', 'pn', 'pn'],
  ['pn-only', 'lid', 'lid'],
  ['lid', 'lid', 'pn'],
];

describe('an edit that is sealed by the secret of what it changes', () => {
  test.each(FORMS)(
    'is told as an edit: it comes by %s, the seal names the author by %s and the writer by %s',
    async (addressing, author, by) => {
      const keyId = await write({ text: 'at two', addressing });
      await event(keyId);
      const edited = await event(await write({ ...editOf(keyId, { author, by }), addressing }));
      expect(edited).toMatchObject({ change: { kind: 'EDITED', keyId }, fromMe: false });
      expect(edited.body).toEqual({ type: 'text', text: 'at three' });
      expect(edited).not.toHaveProperty('unsupportedReason');
    },
  );

  test('is read if what it changes came from the other address', async () => {
    const keyId = await write({ text: 'at two', addressing: 'pn' });
    const edited = await event(await write({ ...editOf(keyId), addressing: 'lid' }));
    expect(edited.body).toEqual({ type: 'text', text: 'at three' });
  });

  test('in a group is told as an edit', async () => {
    const members = [contact, phone];
    const { jid: group } = await stage.platform.call<{ jid: string }>('POST', '/groups', {
      subject: 'g',
      members,
    });
    const write = async (body: object): Promise<string> =>
      (await stage.platform.call<{ id: string }>('POST', `/contacts/${contact}/messages`, { group, ...body }))
        .id;
    const keyId = await write({ text: 'at two' });
    const edited = await event(await write(editOf(keyId, { author: 'pn', by: 'lid' })));
    expect(edited).toMatchObject({ change: { kind: 'EDITED', keyId }, body: { text: 'at three' } });
  });

  test.each(['lid', 'pn'])('on the own phone is told as an edit, by %s', async (by) => {
    const keyId = await onPhone({ text: 'at two', addressing: by });
    const edited = await event(await onPhone({ ...editOf(keyId, { author: by, by }), addressing: by }));
    expect(edited).toMatchObject({ fromMe: true, change: { kind: 'EDITED', keyId } });
    expect(edited.body).toEqual({ type: 'text', text: 'at three' });
  });

  test('on the own phone may be of what was sent through the API', async () => {
    const jobId = await stage.send(sessionId, contact, 'at two');
    const keyId = keyIdOf(jobId);
    await waitFor(
      'the text',
      async () => (await stage.platform.inbox(contact)).find(({ id }) => id === keyId),
      LONG_MS,
    );
    const edited = await event(await onPhone(editOf(keyId)));
    expect(edited).toMatchObject({ fromMe: true, change: { kind: 'EDITED', keyId } });
    expect(edited.body).toEqual({ type: 'text', text: 'at three' });
  });

  test.each<[string, object]>([
    ['is sealed by another secret', { secret: Buffer.alloc(32, 3).toString('base64') }],
    ['comes from somebody who has not written it', { writer: other }],
  ])('stays an edit, without words, if it %s', async (_what, sealed) => {
    const keyId = await write({ text: 'at two' });
    await event(keyId);
    const edited = await event(await write(editOf(keyId, sealed), other));
    expect(edited).toMatchObject({
      change: { kind: 'EDITED', keyId },
      unsupportedReason: 'UNREADABLE',
      body: { type: 'unsupported' },
    });
  });

  test('is told once if it could not be read at first', async () => {
    const keyId = await write({ text: 'at two' });
    const edit = await write({ ...editOf(keyId), flaws: { undecryptable: 1 } });
    expect(await event(edit)).toMatchObject({ body: { text: 'at three' } });
    expect(
      stage.eventsOf('message.received', sessionId).filter((data) => data['keyId'] === edit),
    ).toHaveLength(1);
  });
});
