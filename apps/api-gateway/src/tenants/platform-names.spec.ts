import { expect, test } from '@jest/globals';
import { isLikePlatform } from './platform-names.js';

test.each([
  'WhatsApp',
  'whats app support',
  'W.h.a.t.s.A.p.p',
  'WhatsAppp',
  'Whatsap GmbH',
  'Wattsapp',
  'Wh4t5App',
  'Whаtsаpp', // two letters are Cyrillic
  'Ｗｈａｔｓａｐｐ',
  'Whátsâpp',
  'Meta',
  'Meta Platforms',
  'WA Business',
  'Facebook',
])('%s is like the platform', (name) => expect(isLikePlatform(name)).toBe(true));

test.each([
  'Acme',
  'Metallbau Huber',
  'What a Pizza',
  'Washington Post',
  'Watts & Sons',
  'Müller Apotheke',
  '東京',
])('%s is not', (name) => expect(isLikePlatform(name)).toBe(false));
