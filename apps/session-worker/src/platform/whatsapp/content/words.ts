import { type Fields, text } from '../kinds/kind.js';

/** Reads an interactive message: its own words, and those of its cards. */
export function interactiveWords(message: Fields): unknown[] {
  return [...cardWords(message), ...list(fields(message['carouselMessage'])['cards']).flatMap(cardWords)];
}

/** Reads one card of a carousel, or a message without one; cards have no cards. */
function cardWords({ header, body, footer, nativeFlowMessage }: Fields): unknown[] {
  const { title, subtitle } = fields(header);
  const buttons = list(fields(nativeFlowMessage)['buttons']);
  const words = buttons.flatMap(({ buttonParamsJson }) => {
    const { display_text, url, title: head, sections } = parsed(buttonParamsJson);
    return [display_text, url, head, ...sectionWords(sections)];
  });
  return [title, subtitle, fields(body)['text'], fields(footer)['text'], ...words];
}

/** Reads the rows of a list, section by section. */
export function sectionWords(sections: unknown): unknown[] {
  return list(sections).flatMap(({ title, rows }) => [
    title,
    ...list(rows).flatMap((row) => [row['title'], row['description']]),
  ]);
}

/** Reads the note that goes with money. */
export function noteWords({ noteMessage }: Fields): unknown[] {
  const { conversation, extendedTextMessage } = fields(noteMessage);
  return [conversation, fields(extendedTextMessage)['text']];
}

/** Reads the outcome of a poll: what was asked, and the answers. */
export function outcomeWords({ name, pollVotes }: Fields): unknown[] {
  return [name, ...list(pollVotes).map(({ optionName }) => optionName)];
}

/** Reads a template, in whichever of its forms. */
export function templateWords(template: Fields): unknown[] {
  const { hydratedTemplate, hydratedFourRowTemplate, interactiveMessageTemplate } = template;
  if (interactiveMessageTemplate) return interactiveWords(fields(interactiveMessageTemplate));
  const hydrated = fields(hydratedTemplate ?? hydratedFourRowTemplate);
  const { hydratedTitleText, hydratedContentText, hydratedFooterText, hydratedButtons } = hydrated;
  const buttons = list(hydratedButtons).flatMap(({ quickReplyButton, urlButton, callButton }) =>
    [quickReplyButton, urlButton, callButton].flatMap((button) => {
      const { displayText, url, phoneNumber } = fields(button);
      return [displayText, url, phoneNumber];
    }),
  );
  return [hydratedTitleText, hydratedContentText, hydratedFooterText, ...buttons];
}

/** Reads the JSON that a client makes of a choice, or offers; of what is none, nothing. */
export function parsed(json: unknown): Fields {
  try {
    return fields(JSON.parse(text(json) ?? '{}'));
  } catch {
    return {};
  }
}

/** Reads an object; what is none has no fields. */
export function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

/** Reads a list of objects. */
export function list(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(fields) : [];
}
