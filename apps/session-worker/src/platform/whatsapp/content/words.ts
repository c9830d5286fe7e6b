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

/** Reads an invitation to a channel. */
export function invitationWords({ newsletterName, caption }: Fields): unknown[] {
  return [newsletterName, caption];
}

/** Reads the outcome of a poll: what was asked, and the answers. */
export function outcomeWords({ name, pollVotes }: Fields): unknown[] {
  return [name, ...list(pollVotes).map(({ optionName }) => optionName)];
}

/** Reads a template, in whichever of its forms. */
export function templateWords(template: Fields): unknown[] {
  const { interactiveMessageTemplate, fourRowTemplate } = template;
  if (interactiveMessageTemplate) return interactiveWords(fields(interactiveMessageTemplate));
  if (fourRowTemplate) return valuesIn(fields(fields(fourRowTemplate)['content']));
  const hydrated = hydratedIn(template);
  const { hydratedTitleText, hydratedContentText, hydratedFooterText } = hydrated;
  const buttons = templateButtons(hydrated).flatMap((button) => {
    const { displayText, url, phoneNumber } = button;
    return [displayText, url, phoneNumber];
  });
  return [hydratedTitleText, hydratedContentText, hydratedFooterText, ...buttons];
}

/** Reads a message of which the words are at the phone, which has a pattern of them: what is put into that is here. */
export function patternWords(pattern: Fields): unknown[] {
  const { hydratedHsm } = pattern;
  return hydratedHsm ? templateWords(fields(hydratedHsm)) : valuesIn(pattern);
}

function valuesIn({ params, localizableParams }: Fields): unknown[] {
  const values = list(localizableParams).map((parameter) => parameter['default']);
  return [...(Array.isArray(params) ? (params as unknown[]) : []), ...values];
}

/** Reads the form of a template in which everything has been put in. */
export function hydratedIn({ hydratedTemplate, hydratedFourRowTemplate }: Fields): Fields {
  return fields(hydratedTemplate ?? hydratedFourRowTemplate);
}

/** Reads the buttons of a template, of whichever kind. */
export function templateButtons({ hydratedButtons }: Fields): Fields[] {
  return list(hydratedButtons).map(({ quickReplyButton, urlButton, callButton }) =>
    fields(quickReplyButton ?? urlButton ?? callButton),
  );
}

/** Says whether a template is one that only a phone may show, as those with one-time codes are. */
export function isMasked(template: Fields): boolean {
  return hydratedIn(template)['maskLinkedDevices'] === true;
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
