const NUL = 'before\0after';
const HALF = 'half of a pair \ud83d';
const LONG = '文'.repeat(200_000);

const quoting = (contextInfo: object): object => ({
  message: { extendedTextMessage: { text: 'Yes', contextInfo } },
});
const stanza = (attributes: object): object => ({ text: 'an ordinary text', attributes });
const sealed = (bytes: number[]): object => ({
  text: 'is not sent',
  plaintext: Buffer.from(bytes).toString('base64'),
});

/** Message that the owner of a number writes on the phone itself: the only kind that no stranger sends. */
export const BY_OWNER = { message: { conversation: NUL } };

/** Bodies for the simulator, by their fault: messages of strangers that some store, reader or clock cannot take. */
export const POISON: Record<string, object> = {
  'NUL in a text': { message: { conversation: NUL } },
  'NUL in a quoted text': quoting({ stanzaId: 'Q1', quotedMessage: { conversation: NUL } }),
  'NUL in a quoted id': quoting({ stanzaId: NUL }),
  'NUL in a mention': quoting({ mentionedJid: [NUL] }),
  'NUL in a card': { message: { contactMessage: { displayName: NUL, vcard: NUL } } },
  'NUL in a place': { message: { locationMessage: { degreesLatitude: 1, degreesLongitude: 2, name: NUL } } },
  'NUL in a poll': { message: { pollCreationMessage: { name: NUL, options: [{ optionName: NUL }] } } },
  'NUL in a reaction': { message: { reactionMessage: { text: NUL, key: { id: NUL, fromMe: true } } } },
  'NUL in an edit': {
    message: { protocolMessage: { type: 14, key: { id: NUL }, editedMessage: { conversation: NUL } } },
  },
  'NUL in a choice': {
    message: { buttonsResponseMessage: { selectedButtonId: NUL, selectedDisplayText: NUL } },
  },
  'NUL in an advert': quoting({ externalAdReply: { sourceId: NUL, title: NUL } }),
  'NUL in a file name': { content: { type: 'document', filename: NUL, caption: NUL, media: { size: 10 } } },
  'NUL written on the own phone': BY_OWNER,
  'half of a pair in a name': stanza({ notify: HALF }),
  'a name without end': stanza({ notify: 'N'.repeat(60_000) }),
  'a time that is none': stanza({ t: 'yesterday' }),
  'a time beyond all dates': stanza({ t: '99999999999999999999' }),
  'no time': stanza({ t: null }),
  'no place on the map': {
    message: { locationMessage: { degreesLatitude: 'NaN', degreesLongitude: 'Infinity', name: 'nowhere' } },
  },
  'a text that quotes as much again': {
    message: {
      extendedTextMessage: {
        text: LONG,
        contextInfo: { stanzaId: 'Q2', quotedMessage: { conversation: LONG } },
      },
    },
  },
  'no message at all': sealed([0xff, 0xff, 0xff]),
  'half a message': sealed([10, 200, 1]),
};
