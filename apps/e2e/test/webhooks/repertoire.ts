import { expect } from '@jest/globals';
import { type Actor, expectStatus } from '../../src/stack/actor.js';

const FILE = { size: 2_000 };
/** A message of each kind that the simulator can write, but for those that are about another message. */
const KINDS: Record<string, object> = {
  text: { text: 'hello' },
  image: { caption: 'The receipt', media: FILE },
  video: { seconds: 3, media: FILE },
  audio: { seconds: 3, isPtt: true, media: FILE },
  document: { filename: 'a.pdf', media: FILE },
  sticker: { media: FILE },
  location: { latitude: 52.52, longitude: 13.4 },
  contact: { contacts: [{ displayName: 'Ada', phone: '4915550002000' }, { displayName: 'Bob' }] },
  poll: { name: 'Lunch?', options: ['yes', 'no'] },
};
/** Content that is about a message: a poll, or the text. */
const ABOUT: Record<string, object> = {
  reaction: { emoji: '👍' },
  edit: { text: 'hello again' },
  vote: { choices: ['yes'] },
  revoke: {},
};
/** Messages in the platform's own words, which people write besides. */
const MESSAGES = [
  { liveLocationMessage: { degreesLatitude: 52.52, degreesLongitude: 13.4 } },
  { liveLocationMessage: { degreesLatitude: 52.53, degreesLongitude: 13.4, timeOffset: 9 } },
  { eventMessage: { name: 'Party', description: 'At eight' } },
  { groupInviteMessage: { groupName: 'Neighbours', caption: 'Come in' } },
  { listMessage: { title: 'Menu', description: 'Choose', buttonText: 'Open' } },
  { albumMessage: { expectedImageCount: 2 } },
  { encCommentMessage: {} },
];
/** Numbers that answer sends in a way of their own: read, and not on the platform (docs/sandbox.md). */
const SENT_TO = ['+15550100002', '+15550100003'];

/** Plays all that the simulator's people can do towards a number, and has it send what ends in each way. */
export async function playRepertoire(actor: Actor, contact: string): Promise<void> {
  await expectEveryKind(actor);
  const { phone, stack } = actor;
  const write = async (body: object): Promise<string> =>
    (await stack.platform<{ id: string }>('POST', `/contacts/${contact}/messages`, { to: phone, ...body }))
      .id;
  const ids: Record<string, string> = {};
  for (const [type, content] of Object.entries(KINDS))
    ids[type] = await write({ content: { type, ...content } });
  for (const [type, content] of Object.entries(ABOUT)) {
    const targetKeyId = ids[type === 'vote' ? 'poll' : 'text'];
    await write({ content: { type, targetKeyId, ...content } });
  }
  await write({ content: { type: 'image', viewOnce: true, media: FILE } });
  await write({ content: { type: 'text', text: 'so', quotedKeyId: ids['image'], mentions: [phone] } });
  await write({ content: { type: 'text', text: 'gone soon', disappearsAfter: DAY_S } });
  for (const message of MESSAGES) await write({ message });
  const members = [contact, phone];
  const { jid } = await stack.platform<{ jid: string }>('POST', '/groups', {
    subject: 'Neighbours',
    members,
  });
  await write({ to: undefined, group: jid, text: 'Who has a ladder?' });
  await stack.platform('POST', `/accounts/${phone}/messages`, { to: contact, text: 'from the phone' });
  await stack.platform('POST', `/contacts/${contact}/typing`, { to: phone, state: 'composing' });
  const call = await stack.platform<{ id: string }>('POST', `/contacts/${contact}/calls`, { to: phone });
  await stack.platform('POST', `/contacts/${contact}/calls/${call.id}/end`, { how: 'timeout' });
  for (const to of SENT_TO) {
    const body = { sessionId: actor.sessionId, to, text: 'hello' };
    expectStatus(await actor.api('POST', '/v1/messages', body), 200);
  }
}

const DAY_S = 86_400;

/** Expects that the simulator writes no kind that is not played here. */
async function expectEveryKind({ stack }: Actor): Promise<void> {
  const answer = await fetch(`${stack.file.platform.control}/openapi.json`);
  const { components } = (await answer.json()) as {
    components: { schemas: { WrittenContentBody: { properties: { type: { enum: string[] } } } } };
  };
  const { type } = components.schemas.WrittenContentBody.properties;
  expect(Object.keys({ ...KINDS, ...ABOUT }).toSorted()).toEqual(type.enum.toSorted());
}
