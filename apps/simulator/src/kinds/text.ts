import { type KindRules, Words } from './parts/kind.js';

export class TextBody {
  @Words()
  text?: string;
}

export const text: KindRules<TextBody> = {
  body: TextBody,
  required: ['text'],
  compose: ({ text }, { contextInfo }) =>
    contextInfo ? { extendedTextMessage: { text, contextInfo } } : { conversation: text },
  forms: {
    conversation: { words: (text) => text, describe: (text) => ({ text }) },
    extendedTextMessage: { words: ({ text }) => text, describe: ({ text }) => ({ text: text ?? '' }) },
  },
};
