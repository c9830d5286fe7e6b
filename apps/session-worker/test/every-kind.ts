/** Kinds of which the words are told as a text, with what is in them and the lines of the text. */
export const TEXTS: Record<string, [content: unknown, ...lines: string[]]> = {
  conversation: ['a', 'a'],
  extendedTextMessage: [{ text: 'a' }, 'a'],
  buttonsMessage: [
    { text: 'a', contentText: 'b', footerText: 'c', buttons: [{ buttonText: { displayText: 'd' } }] },
    ...['a', 'b', 'c', 'd'],
  ],
  listMessage: [
    {
      ...{ title: 'a', description: 'b', footerText: 'f', buttonText: 'g' },
      sections: [{ title: 'c', rows: [{ title: 'd', description: 'e', rowId: '1' }] }],
    },
    ...['a', 'b', 'c', 'd', 'e', 'f', 'g'],
  ],
  templateMessage: [
    {
      hydratedTemplate: {
        ...{ hydratedTitleText: 'a', hydratedContentText: 'b', hydratedFooterText: 'c' },
        hydratedButtons: [
          { quickReplyButton: { displayText: 'd', id: '1' } },
          { urlButton: { displayText: 'e', url: 'f' } },
          { callButton: { displayText: 'g', phoneNumber: 'h' } },
        ],
      },
    },
    ...['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'],
  ],
  interactiveMessage: [
    {
      ...{ header: { title: 'a', subtitle: 'b' }, body: { text: 'c' }, footer: { text: 'd' } },
      nativeFlowMessage: { buttons: [{ name: 'quick_reply', buttonParamsJson: '{"display_text":"e"}' }] },
    },
    ...['a', 'b', 'c', 'd', 'e'],
  ],
  highlyStructuredMessage: [{ elementName: 'x', params: ['a', 'b'] }, 'a', 'b'],
  orderMessage: [{ orderTitle: 'a', message: 'b' }, 'a', 'b'],
  productMessage: [
    { product: { title: 'a', description: 'b' }, body: 'c', footer: 'd' },
    ...['a', 'b', 'c', 'd'],
  ],
  groupInviteMessage: [{ groupName: 'a', caption: 'b' }, 'a', 'b'],
  requestPaymentMessage: [{ noteMessage: { conversation: 'a' } }, 'a'],
  sendPaymentMessage: [{ noteMessage: { extendedTextMessage: { text: 'a' } } }, 'a'],
  invoiceMessage: [{ note: 'a', token: 't' }, 'a'],
  scheduledCallCreationMessage: [{ title: 'a' }, 'a'],
  bcallMessage: [{ caption: 'a' }, 'a'],
  eventMessage: [
    { name: 'a', description: 'b', location: { name: 'c', address: 'd' }, joinLink: 'e' },
    ...['a', 'b', 'c', 'd', 'e'],
  ],
  pollResultSnapshotMessage: [{ name: 'a', pollVotes: [{ optionName: 'b' }] }, 'a', 'b'],
  pollResultSnapshotMessageV3: [{ name: 'a', pollVotes: [{ optionName: 'b' }] }, 'a', 'b'],
  stickerPackMessage: [{ name: 'a', publisher: 'b', packDescription: 'c', caption: 'd' }, 'a', 'b', 'c', 'd'],
  commentMessage: [{ message: { conversation: 'a' } }, 'a'],
  newsletterAdminInviteMessage: [{ newsletterName: 'a', caption: 'b' }, 'a', 'b'],
  newsletterFollowerInviteMessageV2: [{ newsletterName: 'a', caption: 'b' }, 'a', 'b'],
  richResponseMessage: [{ submessages: [{ messageText: 'a' }, { messageText: 'b' }] }, 'a', 'b'],
  statusQuotedMessage: [{ text: 'a' }, 'a'],
  statusQuestionAnswerMessage: [{ text: 'a' }, 'a'],
  questionResponseMessage: [{ text: 'a' }, 'a'],
};

/** Choices among what was offered: each has the text 'a' and the id '1'. */
export const ANSWERS: Record<string, object> = {
  buttonsResponseMessage: { selectedButtonId: '1', selectedDisplayText: 'a' },
  templateButtonReplyMessage: { selectedId: '1', selectedDisplayText: 'a' },
  listResponseMessage: { title: 'a', singleSelectReply: { selectedRowId: '1' } },
  interactiveResponseMessage: {
    ...{ body: { text: 'a' }, nativeFlowResponseMessage: { name: 'quick_reply', paramsJson: '{"id":"1"}' } },
  },
};

const POLL = [
  { name: 'a', options: [{ optionName: 'b' }] },
  { type: 'poll', name: 'a', options: ['b'] },
];

/** Kinds of their own, with the body that they are told with. */
export const BODIES: Record<string, unknown[]> = {
  imageMessage: [
    { caption: 'a', mimetype: 'image/png' },
    { type: 'image', caption: 'a', mimeType: 'image/png' },
  ],
  videoMessage: [
    { caption: 'a', seconds: 3 },
    { type: 'video', caption: 'a', seconds: 3, isPtv: false },
  ],
  ptvMessage: [{ seconds: 3 }, { type: 'video', seconds: 3, isPtv: true }],
  audioMessage: [
    { seconds: 3, ptt: true },
    { type: 'audio', seconds: 3, isPtt: true },
  ],
  documentMessage: [
    { fileName: 'a', caption: 'b' },
    { type: 'document', filename: 'a', caption: 'b' },
  ],
  stickerMessage: [{ isAnimated: true }, { type: 'sticker', isAnimated: true }],
  locationMessage: [
    { degreesLatitude: 1.5, degreesLongitude: 2.5, name: 'a', address: 'b' },
    { type: 'location', latitude: 1.5, longitude: 2.5, name: 'a', address: 'b' },
  ],
  liveLocationMessage: [
    { degreesLatitude: 1.5, degreesLongitude: 2.5 },
    { type: 'location', latitude: 1.5, longitude: 2.5 },
  ],
  contactMessage: [{ displayName: 'a' }, { type: 'contact', displayName: 'a', count: 1 }],
  contactsArrayMessage: [
    { displayName: 'a', contacts: [{ displayName: 'b' }, { displayName: 'c' }] },
    { type: 'contact', displayName: 'b', count: 2 },
  ],
  reactionMessage: [
    { key: { id: '1' }, text: 'a' },
    { type: 'reaction', emoji: 'a', targetKeyId: '1' },
  ],
  ...{ pollCreationMessage: POLL, pollCreationMessageV2: POLL },
  ...{ pollCreationMessageV3: POLL, pollCreationMessageV5: POLL },
};

/** Envelopes with a message inside. The library takes some of them apart, and not those that are listed first. */
export const ENVELOPES = [
  ...['groupMentionedMessage', 'botInvokeMessage', 'lottieStickerMessage', 'eventCoverImage'],
  ...['statusMentionMessage', 'pollCreationOptionImageMessage', 'groupStatusMentionMessage'],
  ...['pollCreationMessageV4', 'statusAddYours', 'limitSharingMessage', 'botTaskMessage'],
  ...['questionMessage', 'questionReplyMessage', 'botForwardedMessage', 'associatedChildMessage'],
  ...['groupStatusMessage', 'groupStatusMessageV2', 'editedMessage', 'documentWithCaptionMessage'],
  ...['ephemeralMessage', 'deviceSentMessage'],
];
/** Envelopes of what may be viewed once. */
export const ONCE = ['viewOnceMessage', 'viewOnceMessageV2', 'viewOnceMessageV2Extension'];

/** Kinds without a word for people: it is told that they were there, and what the platform calls them. */
export const WORDLESS: Record<string, object> = {
  ...{ paymentInviteMessage: { serviceType: 1 }, declinePaymentRequestMessage: { key: { id: '1' } } },
  ...{ cancelPaymentRequestMessage: { key: { id: '1' } }, requestPhoneNumberMessage: {} },
  scheduledCallEditMessage: { key: { id: '1' } },
  ...{ statusNotificationMessage: { type: 1 }, statusStickerInteractionMessage: { stickerKey: '1' } },
  // These are sealed by the secret of a message in a community, an event or a channel.
  ...{ encReactionMessage: { encIv: 'AAAA' }, encCommentMessage: { encIv: 'AAAA' } },
  encEventResponseMessage: { encIv: 'AAAA' },
};

/** Kinds that devices and the platform exchange, and parts of other messages: no message of a person. */
export const UNTOLD: Record<string, object> = {
  senderKeyDistributionMessage: { groupId: '1@g.us' },
  fastRatchetKeySenderKeyDistributionMessage: { groupId: '1@g.us' },
  messageContextInfo: { messageSecret: 'AAAA' },
  albumMessage: { expectedImageCount: 2 },
  pinInChatMessage: { key: { id: '1' }, type: 1 },
  keepInChatMessage: { key: { id: '1' }, keepType: 1 },
  stickerSyncRmrMessage: { rmrSource: 'x' },
  ...{ messageHistoryBundle: { mimetype: 'x' }, messageHistoryNotice: {} },
  // Calls are told by stanzas of their own.
  ...{ call: { callKey: 'AAAA' }, callLogMesssage: { isVideo: true }, chat: { id: '1' } },
};

/** Kinds with tests of their own below, or in `test/journal`. */
export const BY_THEMSELVES = [
  'placeholderMessage',
  'protocolMessage',
  'secretEncryptedMessage',
  'pollUpdateMessage',
];
