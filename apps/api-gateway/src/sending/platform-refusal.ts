import { AppError, type SessionRestriction } from '@svc/contracts';

const WORDS: Record<SessionRestriction['reason'], string> = {
  ACCOUNT_RESTRICTED: 'The platform has restricted this number: it may not write to new contacts.',
  NEW_CHAT_QUOTA: 'This number has begun as many chats as the platform lets it.',
};

/** The refusal of a message to a new contact while the platform lets the session begin no chats. */
export function platformRefusal({ reason, until }: SessionRestriction, now: number): AppError {
  const retryAfterSeconds = Math.max(1, Math.ceil((Date.parse(until) - now) / 1000));
  const meta = { layer: 'platform', reason, resetAt: until, retryAfterSeconds };
  return new AppError('RATE_LIMITED', WORDS[reason], meta);
}
