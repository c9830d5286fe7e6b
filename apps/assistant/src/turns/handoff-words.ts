import type { TurnMessage } from './turn.js';

/** Says whether one of the messages is one of the words with which a contact asks for a person, as people write them: in any case, and with signs around it. */
export function asksForPerson(messages: Pick<TurnMessage, 'body'>[], words: string[]): boolean {
  const wanted = words.map(plain);
  return messages.some(({ body }) => body.type === 'text' && wanted.includes(plain(body.text ?? '')));
}

const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .toLocaleLowerCase('und')
    .replace(/^[\p{P}\p{S}\s]+|[\p{P}\p{S}\s]+$/gu, '');
