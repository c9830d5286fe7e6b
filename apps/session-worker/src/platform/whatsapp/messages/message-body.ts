import type { MessageBody } from '@svc/contracts';
import type { PlatformContent } from '../../port.js';

type Fields = Record<string, unknown>;
type Mapper = (content: Fields) => MessageBody;

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
const flag = (value: unknown): boolean | undefined => (typeof value === 'boolean' ? value : undefined);

const poll: Mapper = ({ name, options }) => ({
  type: 'poll',
  name: text(name),
  options: (Array.isArray(options) ? (options as Fields[]) : []).map(
    (option) => text(option['optionName']) ?? '',
  ),
});

const location: Mapper = ({ degreesLatitude, degreesLongitude, name, address }) => ({
  type: 'location',
  latitude: number(degreesLatitude),
  longitude: number(degreesLongitude),
  name: text(name),
  address: text(address),
});

const video =
  (isPtv: boolean): Mapper =>
  ({ caption, mimetype, seconds }) => ({
    type: 'video',
    caption: text(caption),
    mimeType: text(mimetype),
    seconds: number(seconds),
    isPtv,
  });

const MAPPERS: Record<string, Mapper> = {
  extendedTextMessage: (content) => ({ type: 'text', text: text(content['text']) ?? '' }),
  imageMessage: ({ caption, mimetype }) => ({
    type: 'image',
    caption: text(caption),
    mimeType: text(mimetype),
  }),
  videoMessage: video(false),
  ptvMessage: video(true),
  audioMessage: ({ mimetype, seconds, ptt }) => ({
    type: 'audio',
    mimeType: text(mimetype),
    seconds: number(seconds),
    isPtt: flag(ptt) ?? false,
  }),
  documentMessage: ({ fileName, mimetype, pageCount, caption }) => ({
    type: 'document',
    filename: text(fileName),
    mimeType: text(mimetype),
    pageCount: number(pageCount),
    caption: text(caption),
  }),
  stickerMessage: ({ mimetype, isAnimated }) => ({
    type: 'sticker',
    mimeType: text(mimetype),
    isAnimated: flag(isAnimated) ?? false,
  }),
  locationMessage: location,
  liveLocationMessage: location,
  contactMessage: ({ displayName }) => ({ type: 'contact', displayName: text(displayName), count: 1 }),
  contactsArrayMessage: ({ displayName, contacts }) => ({
    type: 'contact',
    displayName: text(displayName),
    count: Array.isArray(contacts) ? contacts.length : 0,
  }),
  pollCreationMessage: poll,
  pollCreationMessageV2: poll,
  pollCreationMessageV3: poll,
  reactionMessage: ({ text: emoji, key }) => ({
    type: 'reaction',
    emoji: typeof emoji === 'string' ? emoji : '',
    targetKeyId: text((key as Fields | undefined)?.['id']),
  }),
};

/** Turns what the platform carried into the union that tenants see (specification, "MessageBody"). */
export function toMessageBody({ type, content, viewOnce }: PlatformContent): MessageBody {
  const body = withoutUndefined(bodyOf(type, content));
  return viewOnce ? { type: 'view_once', inner: body } : body;
}

function bodyOf(type: string, content: unknown): MessageBody {
  if (type === 'conversation') return { type: 'text', text: text(content) ?? '' };
  const mapper = MAPPERS[type];
  return mapper ? mapper((content ?? {}) as Fields) : { type: 'unsupported', original: type };
}

function withoutUndefined(body: MessageBody): MessageBody {
  return Object.fromEntries(
    Object.entries(body).filter(([, value]) => value !== undefined),
  ) as unknown as MessageBody;
}
