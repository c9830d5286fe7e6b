import { Equals, IsIn, IsString, Length, Matches } from 'class-validator';
import { AppError } from '@svc/contracts';
import type { QrDrawing } from '../widget/widget-bodies.js';
import type { LinkNames } from './link-names.js';
import { LINK_LANGUAGES, type LinkLanguage } from './link-words.js';

/** Secret of a link: 256 bits in base64url. */
const SECRET = /^[\w-]{43}$/;

/** Reads the key of a browser from its header. @throws AppError `LINK_NOT_FOUND` */
export function keyIn(authorization = ''): string {
  const [, key = ''] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
  if (!SECRET.test(key)) throw new AppError('LINK_NOT_FOUND');
  return key;
}

/** Body of `POST /v1/public/link/look`. */
export class LookBody {
  @Matches(SECRET, { message: 'token must be the last part of the address' })
  token: string;
}

/** Body of `POST /v1/public/link/open`. */
export class OpenBody extends LookBody {
  /** The person has read who will read and write, and agrees. */
  @Equals(true)
  consents: true;

  /** Language in which the page said it. */
  @IsIn(LINK_LANGUAGES)
  language: LinkLanguage;
}

/** Body of `POST /v1/public/link/code`. */
export class TypedCodeBody {
  @IsString()
  @Length(1, 100)
  phone: string;
}

/** Offer of a link, before anybody has agreed to it. */
export interface LinkOffer {
  names: LinkNames;
  expiresAt: string;
  /** True: another browser has it. */
  isOpened: boolean;
}

/** A link that this browser has opened. */
export interface OpenedLink {
  key: string;
  expiresAt: string;
}

/** A link for the browser helper, for the challenge that is open now. */
export interface HelperLink {
  token: string;
  expiresAt: string;
}

/** Challenge that the helper gives to the browser, and its key to answer with. */
export interface Challenge {
  key: string;
  options: Record<string, unknown>;
  expiresAt: string;
}

/** Stages of a link, as its page shows them: a code is coming, it can be scanned, the platform wants a passkey, the number is linked. */
export type LinkStage = 'waiting' | 'scan' | 'passkey' | 'linked';

/** State of a link, for its page. */
export interface LinkProgress {
  stage: LinkStage;
  names: LinkNames;
  /** QR code to scan, at that stage. */
  qr: QrDrawing | null;
  /** Number that is linked, but for most of its digits. */
  phone: string | null;
  /** Address at which to go on, once it is linked. */
  returnUrl: string | null;
  /** Address where people get the browser helper, where the installation has one. */
  helperUrl: string | null;
  expiresAt: string;
}
