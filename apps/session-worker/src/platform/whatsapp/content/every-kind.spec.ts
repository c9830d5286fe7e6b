import { describe, expect, test } from '@jest/globals';
import { encodeWAMessage, proto } from '@whiskeysockets/baileys';
import {
  ANSWERS,
  BODIES,
  BY_THEMSELVES,
  ENVELOPES,
  ONCE,
  TEXTS,
  UNTOLD,
  WORDLESS,
} from '../../../../test/every-kind.js';
import type { InboundContent } from '../../messages.js';
import { type DecodedContent, readContent } from './decoded-content.js';
import { laterLocationIn } from './live-location.js';
import { inboundContent } from './message-body.js';

/** Reads a message as it comes off the wire. */
function read(fields: object): DecodedContent | undefined {
  const message = proto.Message.fromObject(fields);
  // The schema drops a name that it does not know.
  expect(Object.keys(message)).toEqual(Object.keys(fields));
  const content = readContent(encodeWAMessage(message));
  if (content === 'UNREADABLE') throw new Error('It cannot be read.');
  return content;
}

const told = (fields: object): InboundContent | undefined => {
  const content = read(fields);
  return content && inboundContent(content);
};

describe('the words are told as a text', () => {
  test.each(Object.entries(TEXTS))('of a %s', (name, [content, ...lines]) => {
    expect(told({ [name]: content })?.body).toEqual({ type: 'text', text: lines.join('\n') });
  });

  test('of a template in any of its forms', () => {
    const lines = { type: 'text', text: 'a' };
    const hydrated = { hydratedContentText: 'a' };
    for (const template of [
      { hydratedFourRowTemplate: hydrated },
      { interactiveMessageTemplate: { body: { text: 'a' } } },
      { fourRowTemplate: { content: { params: ['a'] } } },
    ])
      expect(told({ templateMessage: template })?.body).toEqual(lines);
    const hydratedHsm = { hydratedTemplate: hydrated };
    expect(told({ highlyStructuredMessage: { hydratedHsm } })?.body).toEqual(lines);
    const localizableParams = [{ default: 'a' }];
    expect(told({ highlyStructuredMessage: { localizableParams } })?.body).toEqual(lines);
  });
});

test.each(Object.entries(BODIES))('a %s is told as a kind of its own', (name, [content, body]) => {
  expect(told({ [name]: content })?.body).toEqual(body);
});

test.each(Object.entries(ANSWERS))(
  'a %s is told as the words that were chosen, with their id',
  (name, content) => {
    expect(told({ [name]: content })).toMatchObject({ body: { type: 'text', text: 'a' }, choiceId: '1' });
  },
);

describe('what a message offers is told choice by choice', () => {
  const row = { title: 'a', description: 'x', rowId: '1' };
  const buttons = [
    { quickReplyButton: { displayText: 'a', id: '1' } },
    { urlButton: { displayText: 'b', url: 'https://example.com' } },
  ];
  const flow = (...params: object[]): object => ({
    buttons: params.map((each) => ({ name: 'x', buttonParamsJson: JSON.stringify(each) })),
  });
  const first = { text: 'a', id: '1' };
  const second = { text: 'b', linkUrl: 'https://example.com' };

  test.each<[string, object, object[]]>([
    [
      'buttons',
      { buttonsMessage: { buttons: [{ buttonId: '1', buttonText: { displayText: 'a' } }] } },
      [first],
    ],
    ['the rows of a list', { listMessage: { sections: [{ rows: [row] }] } }, [first]],
    [
      'the buttons of a template',
      { templateMessage: { hydratedTemplate: { hydratedButtons: buttons } } },
      [first, second],
    ],
    [
      'interactive buttons, and lists behind them',
      {
        interactiveMessage: {
          nativeFlowMessage: flow(
            { display_text: 'a', id: '1' },
            { display_text: 'b', url: 'https://example.com' },
            { title: 'x', sections: [{ rows: [{ title: 'c', id: '3' }] }] },
            { display_text: 'd', copy_code: 'CODE' },
          ),
        },
      },
      [first, second, { text: 'c', id: '3' }, { text: 'd', id: 'CODE' }],
    ],
    [
      'the buttons of cards',
      {
        interactiveMessage: {
          carouselMessage: { cards: [{ nativeFlowMessage: flow({ display_text: 'a', id: '1' }) }] },
        },
      },
      [first],
    ],
  ])('%s', (_what, message, choices) => {
    expect(told(message)?.choices).toEqual(choices);
  });

  test('a hundred at most, and none of a message that offers none', () => {
    const rows = Array.from({ length: 200 }, (_, n) => ({ title: `row ${n}` }));
    expect(told({ listMessage: { sections: [{ rows }] } })?.choices).toHaveLength(100);
    expect(told({ conversation: 'a' })).not.toHaveProperty('choices');
    expect(told({ buttonsMessage: { contentText: 'a' } })).not.toHaveProperty('choices');
  });
});

describe('the answers of a form', () => {
  const answered = (paramsJson: string): InboundContent | undefined =>
    told({
      interactiveResponseMessage: { body: { text: 'Sent' }, nativeFlowResponseMessage: { paramsJson } },
    });

  test('are told as they came', () => {
    const json = '{"name":"Ada","slot":"9:00"}';
    expect(answered(json)).toMatchObject({ body: { type: 'text', text: 'Sent' }, formAnswers: json });
  });

  test.each(['{"id":"1"}', '{"id":', '[]'])(
    'are none where a button was chosen, or there is no JSON: %s',
    (json) => {
      expect(answered(json)).not.toHaveProperty('formAnswers');
    },
  );
});

describe('a place of somebody on the way', () => {
  const place = { degreesLatitude: 1.5, degreesLongitude: 2.5, sequenceNumber: 7 };

  test('is told with what it says besides', () => {
    const more = {
      accuracyInMeters: 12,
      speedInMps: 1.5,
      degreesClockwiseFromMagneticNorth: 90,
      caption: 'a',
    };
    expect(told({ liveLocationMessage: { ...place, ...more } })).toMatchObject({
      body: { type: 'location', latitude: 1.5, longitude: 2.5 },
      liveLocation: { accuracy: 12, speed: 1.5, direction: 90, caption: 'a' },
    });
  });

  test('is a message once: those after it are places of their own', () => {
    const later = (message: object): unknown => laterLocationIn(read(message) as DecodedContent);
    expect(later({ liveLocationMessage: { ...place, timeOffset: 15 } })).toEqual({
      ...{ latitude: 1.5, longitude: 2.5, secondsOn: 15, liveLocation: {} },
    });
    expect(later({ liveLocationMessage: place })).toBeUndefined();
    expect(later({ liveLocationMessage: { timeOffset: 15 } })).toBeUndefined();
    expect(told({ locationMessage: { degreesLatitude: 1.5 } })).not.toHaveProperty('liveLocation');
  });
});

describe('what only a phone may show', () => {
  test('is told as withheld', () => {
    const unsupportedReason = 'WITHHELD';
    expect(told({ placeholderMessage: { type: 0 } })).toMatchObject({ unsupportedReason });
    const hydratedTemplate = { templateId: '1', maskLinkedDevices: true };
    expect(told({ templateMessage: { hydratedTemplate } })).toMatchObject({ unsupportedReason });
  });

  test('is told with its words where they came all the same', () => {
    const hydratedTemplate = { hydratedContentText: '123456 is your code', maskLinkedDevices: true };
    const content = told({ templateMessage: { hydratedTemplate } });
    expect(content?.body).toEqual({ type: 'text', text: '123456 is your code' });
    expect(content).not.toHaveProperty('unsupportedReason');
  });
});

test.each(ENVELOPES)('the words in a %s are read', (name) => {
  expect(told({ [name]: { message: { conversation: 'a' } } })?.body).toEqual({ type: 'text', text: 'a' });
});

test.each(ONCE)('what is in a %s may be viewed once', (name) => {
  const body = { type: 'view_once', inner: { type: 'image', caption: 'a' } };
  expect(told({ [name]: { message: { imageMessage: { caption: 'a' } } } })?.body).toEqual(body);
});

test('envelopes within envelopes are opened', () => {
  let message: object = { conversation: 'a' };
  for (const name of ENVELOPES.slice(0, 5)) message = { [name]: { message } };
  expect(told(message)?.body).toEqual({ type: 'text', text: 'a' });
});

test.each(Object.entries(WORDLESS))('a %s has no words: its name is told', (name, content) => {
  expect(told({ [name]: content })?.body).toEqual({ type: 'unsupported', original: name });
});

test.each(Object.entries(UNTOLD))('a %s is no message of a person', (name, content) => {
  expect(told({ [name]: content })).toBeUndefined();
});

test('a message says after how long it disappears, and whether it was forwarded', () => {
  const contextInfo = { expiration: 86_400, isForwarded: true };
  expect(told({ extendedTextMessage: { text: 'a', contextInfo } })).toMatchObject({
    ...{ disappearsAfter: 86_400, isForwarded: true },
  });
  const plain = told({ extendedTextMessage: { text: 'a', contextInfo: { expiration: 0 } } });
  expect(plain).not.toHaveProperty('disappearsAfter');
});

test('every kind that the library knows is one of these', () => {
  const kinds = (Object.entries(proto.Message.prototype) as [string, unknown][]).flatMap(([name, initial]) =>
    initial === null ? [name] : [],
  );
  const known = [TEXTS, ANSWERS, BODIES, WORDLESS, UNTOLD].flatMap((table) => Object.keys(table));
  expect(kinds.toSorted()).toEqual([...known, ...ENVELOPES, ...ONCE, ...BY_THEMSELVES].toSorted());
});
