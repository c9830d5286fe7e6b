import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { MessageReceivedV1 } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { LONG_MS, type Stage } from '../support.js';
import { WorkerProcess } from '../worker-process.js';

const phone = '15550122000';
const contact = '15550222000';

let stage: Stage;
let sessionId: string;

beforeAll(async () => {
  ({ stage } = await WorkerProcess.stage());
  sessionId = await stage.link(phone);
});
afterAll(() => stage.stop());

const write = async (message: object): Promise<string> => {
  const body = { to: phone, message };
  return (await stage.platform.call<{ id: string }>('POST', `/contacts/${contact}/messages`, body)).id;
};
const events = (keyId: string): MessageReceivedV1[] =>
  (stage.eventsOf('message.received', sessionId) as unknown as MessageReceivedV1[]).filter(
    (data) => data.keyId === keyId,
  );
const event = (keyId: string): Promise<MessageReceivedV1> =>
  waitFor('message.received', () => events(keyId)[0], LONG_MS);

test('contact cards are told with all their numbers, each card of several', async () => {
  const cardOf = (...numbers: string[]): string =>
    ['BEGIN:VCARD', 'VERSION:3.0', 'FN:Ada', ...numbers, 'END:VCARD'].join('\n');
  const vcard = cardOf('TEL;type=CELL;waid=4915550001:+49 1555 0001', 'TEL;type=WORK:+49 30 123456');
  const card = { displayName: 'Ada', vcard };
  const told = { displayName: 'Ada', phones: ['+4915550001', '+4930123456'] };
  const { body, contacts } = await event(await write({ contactMessage: card }));
  expect(body).toEqual({ type: 'contact', displayName: 'Ada', count: 1 });
  expect(contacts).toEqual([told]);
  const other = { displayName: 'Bo', vcard: cardOf('TEL:+49 40 7890') };
  const several = { displayName: '2 contacts', contacts: [card, other] };
  expect((await event(await write({ contactsArrayMessage: several }))).contacts).toEqual([
    told,
    { displayName: 'Bo', phones: ['+49407890'] },
  ]);
});

test('the pictures of an album name it, and it is no message itself', async () => {
  const album = await write({ albumMessage: { expectedImageCount: 2 } });
  const messageAssociation = { associationType: 1, parentMessageKey: { id: album } };
  const picture = { messageContextInfo: { messageAssociation }, imageMessage: { caption: 'first' } };
  expect(await event(await write(picture))).toMatchObject({ albumOf: album, body: { caption: 'first' } });
  expect(events(album)).toEqual([]);
});

test('of somebody on the way the first place is a message, and those after it are events of their own', async () => {
  const place = { degreesLatitude: 1.5, degreesLongitude: 2.5 };
  const first = await write({ liveLocationMessage: place });
  const later = { ...place, degreesLatitude: 1.75, timeOffset: 15, speedInMps: 2 };
  await write({ ephemeralMessage: { message: { liveLocationMessage: later } } });
  const told = await waitFor(
    'message.live_location',
    () => stage.eventsOf('message.live_location', sessionId)[0],
    LONG_MS,
  );
  expect(told).toMatchObject({
    ...{ remoteJid: `${contact}@s.whatsapp.net`, phone: `+${contact}`, isGroup: false, fromMe: false },
    ...{ latitude: 1.75, longitude: 2.5, secondsOn: 15, liveLocation: { speed: 2 } },
  });
  const last = await event(await write({ conversation: 'behind it' }));
  const bodies = (stage.eventsOf('message.received', sessionId) as unknown as MessageReceivedV1[])
    .map(({ keyId, body }) => [keyId, body.type])
    .filter(([, type]) => type === 'location');
  expect(bodies).toEqual([[first, 'location']]);
  expect(last.chatId).toBe(told['chatId']);
  expect(told).toHaveProperty('conversationId', last.conversationId);
});

describe('a choice is told as the words that were chosen, with their id', () => {
  test.each<[string, object, { text: string; choiceId?: string }]>([
    [
      'among buttons',
      { buttonsResponseMessage: { selectedButtonId: 'b1', selectedDisplayText: 'Yes, please', type: 1 } },
      { text: 'Yes, please', choiceId: 'b1' },
    ],
    [
      'among the buttons of a template',
      { templateButtonReplyMessage: { selectedId: 't1', selectedDisplayText: 'Call me', selectedIndex: 0 } },
      { text: 'Call me', choiceId: 't1' },
    ],
    [
      'in a list',
      {
        listResponseMessage: {
          title: 'Tuesday',
          singleSelectReply: { selectedRowId: 'r2' },
          description: 'd',
        },
      },
      { text: 'Tuesday', choiceId: 'r2' },
    ],
    [
      'among interactive buttons',
      {
        interactiveResponseMessage: {
          body: { text: 'Standard' },
          nativeFlowResponseMessage: { name: 'quick_reply', paramsJson: '{"id":"plan-1"}', version: 3 },
        },
      },
      { text: 'Standard', choiceId: 'plan-1' },
    ],
    [
      'that has an id alone',
      { buttonsResponseMessage: { selectedButtonId: 'b9' } },
      { text: 'b9', choiceId: 'b9' },
    ],
    [
      'whose parameters are no JSON',
      {
        interactiveResponseMessage: {
          body: { text: 'Standard' },
          nativeFlowResponseMessage: { name: 'quick_reply', paramsJson: '{"id":' },
        },
      },
      { text: 'Standard' },
    ],
  ])('%s', async (_where, message, { text, choiceId }) => {
    const data = await event(await write(message));
    expect(data.body).toEqual({ type: 'text', text });
    expect(data.choiceId).toBe(choiceId);
  });
});

describe('what a business writes is told as the text that a person reads', () => {
  test.each<[string, object, string]>([
    [
      'above buttons',
      { buttonsMessage: { text: 'Hello', contentText: 'Do you come?', footerText: 'Ada', headerType: 2 } },
      'Hello\nDo you come?\nAda',
    ],
    [
      'above a list',
      { listMessage: { title: 'Times', description: 'Choose one', buttonText: 'Open' } },
      'Times\nChoose one\nOpen',
    ],
    [
      'as a template',
      {
        templateMessage: {
          hydratedTemplate: { hydratedContentText: 'Your code is 123456', hydratedFooterText: 'f' },
        },
      },
      'Your code is 123456\nf',
    ],
    [
      'with interactive parts',
      {
        interactiveMessage: {
          header: { title: 'Offer' },
          body: { text: 'Two for one' },
          footer: { text: 'today' },
        },
      },
      'Offer\nTwo for one\ntoday',
    ],
    [
      'on buttons',
      {
        buttonsMessage: {
          contentText: 'Do you come?',
          buttons: [
            { buttonId: 'b1', buttonText: { displayText: 'Yes' }, type: 1 },
            { buttonId: 'b2', buttonText: { displayText: 'No' }, type: 1 },
          ],
        },
      },
      'Do you come?\nYes\nNo',
    ],
    [
      'in the rows of a list',
      {
        listMessage: {
          ...{ title: 'Times', description: 'Choose one', buttonText: 'Open' },
          sections: [
            { title: 'Morning', rows: [{ title: '9:00', description: 'with Ada', rowId: 'r1' }] },
            { title: 'Evening', rows: [{ title: '18:00', rowId: 'r2' }] },
          ],
        },
      },
      'Times\nChoose one\nMorning\n9:00\nwith Ada\nEvening\n18:00\nOpen',
    ],
    [
      'on the buttons of a template',
      {
        templateMessage: {
          hydratedTemplate: {
            hydratedContentText: 'Your parcel',
            hydratedButtons: [
              { index: 0, quickReplyButton: { displayText: 'Thanks', id: 't1' } },
              { index: 1, urlButton: { displayText: 'Track it', url: 'https://example.com/1' } },
              { index: 2, callButton: { displayText: 'Call us', phoneNumber: '+15550001111' } },
            ],
          },
        },
      },
      'Your parcel\nThanks\nTrack it\nhttps://example.com/1\nCall us\n+15550001111',
    ],
    [
      'on interactive buttons and lists',
      {
        interactiveMessage: {
          body: { text: 'Two for one' },
          nativeFlowMessage: {
            buttons: [
              { name: 'quick_reply', buttonParamsJson: '{"display_text":"Take it","id":"1"}' },
              { name: 'cta_url', buttonParamsJson: '{"display_text":"Shop","url":"https://example.com"}' },
              {
                name: 'single_select',
                buttonParamsJson:
                  '{"title":"Sizes","sections":[{"title":"All","rows":[{"title":"S","description":"small","id":"s"}]}]}',
              },
              { name: 'cta_copy', buttonParamsJson: '{"display' },
            ],
          },
        },
      },
      'Two for one\nTake it\nShop\nhttps://example.com\nSizes\nAll\nS\nsmall',
    ],
    [
      'on the cards of a carousel',
      {
        interactiveMessage: {
          body: { text: 'New' },
          carouselMessage: {
            cards: [
              { header: { title: 'Cake' }, body: { text: 'With cherries' } },
              {
                body: { text: 'Bread' },
                nativeFlowMessage: {
                  buttons: [{ name: 'quick_reply', buttonParamsJson: '{"display_text":"Buy"}' }],
                },
              },
            ],
          },
        },
      },
      'New\nCake\nWith cherries\nBread\nBuy',
    ],
    ['as an order', { orderMessage: { orderTitle: 'Order 7', message: 'Two cakes' } }, 'Order 7\nTwo cakes'],
    [
      'of a product',
      { productMessage: { product: { title: 'Cake', description: 'With cherries' }, body: 'Fresh' } },
      'Cake\nWith cherries\nFresh',
    ],
  ])('%s', async (_where, message, text) => {
    expect((await event(await write(message))).body).toEqual({ type: 'text', text });
  });
});

describe('what a person says without a kind of its own is told as the text of it', () => {
  test.each<[string, object, string]>([
    [
      'with a request for money',
      {
        requestPaymentMessage: {
          ...{ noteMessage: { extendedTextMessage: { text: 'For the cake' } }, currencyCodeIso4217: 'BRL' },
          amount1000: 5_000,
        },
      },
      'For the cake',
    ],
    ['with money', { sendPaymentMessage: { noteMessage: { conversation: 'Thank you' } } }, 'Thank you'],
    [
      'as the title of a call',
      {
        scheduledCallCreationMessage: {
          scheduledTimestampMs: 1_760_000_000_000,
          callType: 1,
          title: 'Offer',
        },
      },
      'Offer',
    ],
    [
      'as the name of a group',
      { groupInviteMessage: { groupName: 'Neighbours', inviteCode: 'x', caption: 'Join us' } },
      'Neighbours\nJoin us',
    ],
    [
      'as the outcome of a poll',
      {
        pollResultSnapshotMessage: {
          name: 'Lunch?',
          pollVotes: [
            { optionName: 'yes', optionVoteCount: 3 },
            { optionName: 'no', optionVoteCount: 1 },
          ],
        },
      },
      'Lunch?\nyes\nno',
    ],
  ])('%s', async (_how, message, text) => {
    expect((await event(await write(message))).body).toEqual({ type: 'text', text });
  });
});

test('what a phone alone may show is told as withheld', async () => {
  expect(await event(await write({ placeholderMessage: { type: 0 } }))).toMatchObject({
    body: { type: 'unsupported', original: 'placeholderMessage' },
    unsupportedReason: 'WITHHELD',
  });
});

describe('every envelope is opened', () => {
  const picture = { imageMessage: { mimetype: 'image/jpeg', caption: 'c' } };
  test.each<[string, object, object]>([
    [
      'around a text that names a group',
      { groupMentionedMessage: { message: { extendedTextMessage: { text: 'in @group' } } } },
      { type: 'text', text: 'in @group' },
    ],
    [
      'around a poll of today',
      {
        pollCreationMessageV4: {
          message: { pollCreationMessageV3: { name: 'Lunch?', options: [{ optionName: 'yes' }] } },
        },
      },
      { type: 'poll', name: 'Lunch?', options: ['yes'] },
    ],
    [
      'that nobody knows here yet, within another',
      { ephemeralMessage: { message: { botInvokeMessage: { message: { conversation: 'Hi bot' } } } } },
      { type: 'text', text: 'Hi bot' },
    ],
    [
      'around what may be viewed once, which stays so',
      { ephemeralMessage: { message: { viewOnceMessageV2: { message: picture } } } },
      { type: 'view_once', inner: { type: 'image', mimeType: 'image/jpeg', caption: 'c' } },
    ],
    [
      'around a sticker that moves',
      { lottieStickerMessage: { message: { stickerMessage: { mimetype: 'image/webp', isAnimated: true } } } },
      { type: 'sticker', mimeType: 'image/webp', isAnimated: true },
    ],
  ])('%s', async (_what, message, body) => {
    expect((await event(await write(message))).body).toEqual(body);
  });
});

test('a poll of the newest kind is a poll', async () => {
  const message = { pollCreationMessageV5: { name: 'Lunch?', options: [{ optionName: 'no' }] } };
  expect((await event(await write(message))).body).toEqual({ type: 'poll', name: 'Lunch?', options: ['no'] });
});

test.each([
  ['a pin', { pinInChatMessage: { key: { id: 'A' }, type: 1 } }],
  ['the head of an album', { albumMessage: { expectedImageCount: 2 } }],
  [
    'a key of a group',
    {
      fastRatchetKeySenderKeyDistributionMessage: {
        groupId: '1@g.us',
        axolotlSenderKeyDistributionMessage: 'AA==',
      },
    },
  ],
  ['a message that is kept', { keepInChatMessage: { key: { id: 'A' }, keepType: 1 } }],
])('%s is no message of a customer', async (_what, message) => {
  const keyId = await write(message);
  await event(await write({ conversation: 'behind it' }));
  expect(events(keyId)).toEqual([]);
});

describe('where a message comes from', () => {
  test('is told of one that an advert brought', async () => {
    const externalAdReply = {
      ...{ title: 'Cakes', body: 'Two for one', sourceType: 'ad', sourceId: '1200', ctwaClid: 'click-1' },
      ...{ sourceUrl: 'https://fb.me/1', thumbnailUrl: 'https://example.com/t.jpg', mediaType: 1 },
    };
    const message = { extendedTextMessage: { text: 'Is it still there?', contextInfo: { externalAdReply } } };
    expect(await event(await write(message))).toMatchObject({
      body: { type: 'text', text: 'Is it still there?' },
      referral: {
        ...{ title: 'Cakes', body: 'Two for one', sourceType: 'ad', sourceId: '1200', clickId: 'click-1' },
        ...{ sourceUrl: 'https://fb.me/1', thumbnailUrl: 'https://example.com/t.jpg' },
      },
    });
  });

  test('is told of one that was forwarded, and of no other', async () => {
    const context = { isForwarded: true, forwardingScore: 2 };
    const forwarded = await write({ extendedTextMessage: { text: 'Look', contextInfo: context } });
    expect((await event(forwarded)).isForwarded).toBe(true);
    const plain = await event(await write({ conversation: 'Look' }));
    expect(plain.isForwarded).toBeUndefined();
    expect(plain.referral).toBeUndefined();
  });
});
