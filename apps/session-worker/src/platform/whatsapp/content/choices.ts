import type { OfferedChoice } from '@svc/contracts';
import { type Fields, text } from '../kinds/kind.js';
import { fields, hydratedIn, list, parsed, templateButtons } from './words.js';

/** Most choices of a message. */
const MOST_CHOICES = 100;
const MOST_CHARS = 1_000;
/** Longest answers of a form, in characters. */
const MOST_FORM_CHARS = 100_000;

/** A choice as a client writes it: nothing of it is checked yet. */
type Offer = Record<'text' | 'id' | 'url', unknown>;

/** Readers of what a message offers, by the platform's names. */
const OFFERS = new Map<string, (content: Fields) => Offer[]>([
  ['buttonsMessage', buttonOffers],
  ['listMessage', ({ sections }) => rowOffers(sections)],
  ['interactiveMessage', interactiveOffers],
  ['templateMessage', templateOffers],
  ['highlyStructuredMessage', ({ hydratedHsm }) => templateOffers(fields(hydratedHsm))],
]);

/** Reads the choices that a message offers, in its order; undefined where it offers none. */
export function choicesIn(type: string, content: unknown): OfferedChoice[] | undefined {
  const offers = OFFERS.get(type)?.(fields(content)) ?? [];
  const choices = offers.flatMap(choiceOf).slice(0, MOST_CHOICES);
  return choices.length > 0 ? choices : undefined;
}

/** Reads what was filled into a form, as it came; undefined for a choice among buttons, and for what is no JSON. */
export function formAnswersIn(type: string, content: unknown): string | undefined {
  if (type !== 'interactiveResponseMessage') return undefined;
  const json = text(fields(fields(content)['nativeFlowResponseMessage'])['paramsJson']);
  const { id: _, ...answers } = parsed(json);
  return json && json.length <= MOST_FORM_CHARS && Object.keys(answers).length > 0 ? json : undefined;
}

function choiceOf(offer: Offer): OfferedChoice[] {
  const [words, id, url] = [offer.text, offer.id, offer.url].map((part) => text(part)?.slice(0, MOST_CHARS));
  return words === undefined
    ? []
    : [{ text: words, ...(id ? { id } : {}), ...(url ? { linkUrl: url } : {}) }];
}

function buttonOffers({ buttons }: Fields): Offer[] {
  return list(buttons).map(({ buttonId, buttonText }) => ({
    ...{ text: fields(buttonText)['displayText'], id: buttonId, url: undefined },
  }));
}

function rowOffers(sections: unknown): Offer[] {
  return list(sections).flatMap(({ rows }) =>
    list(rows).map(({ title, rowId, id }) => ({ text: title, id: rowId ?? id, url: undefined })),
  );
}

function templateOffers(template: Fields): Offer[] {
  const { interactiveMessageTemplate } = template;
  if (interactiveMessageTemplate) return interactiveOffers(fields(interactiveMessageTemplate));
  return templateButtons(hydratedIn(template)).map(({ displayText, id, url }) => ({
    ...{ text: displayText, id, url },
  }));
}

/** Reads the buttons of an interactive message, and of its cards; cards have no cards. */
function interactiveOffers(message: Fields): Offer[] {
  const cards = list(fields(message['carouselMessage'])['cards']);
  return [message, ...cards].flatMap(({ nativeFlowMessage }) =>
    list(fields(nativeFlowMessage)['buttons']).flatMap(({ buttonParamsJson }) => {
      const { display_text, id, url, copy_code, sections } = parsed(buttonParamsJson);
      return [{ text: display_text, id: id ?? copy_code, url }, ...rowOffers(sections)];
    }),
  );
}
