import type { FailureCode } from '@svc/contracts';
import { NotInGroupError, NotOnPlatformError } from '../platform/port.js';

/** Why a file cannot be sent; `final` where another try would not help. */
export class FileError extends Error {
  override readonly name = 'FileError';

  constructor(
    readonly code: Extract<FailureCode, `MEDIA_${string}`>,
    readonly detail: string,
    readonly final: boolean,
  ) {
    super(detail);
  }
}

/** What a message becomes that could not be handed over: at once where that is final, else after the last try. */
export function sendFailureOf(error: unknown): { code: FailureCode; detail?: string; final: boolean } {
  if (error instanceof NotOnPlatformError) return { code: 'NOT_ON_PLATFORM', final: true };
  if (error instanceof NotInGroupError) return { code: 'NOT_IN_GROUP', final: true };
  if (error instanceof FileError) return { code: error.code, detail: error.detail, final: error.final };
  return { code: 'SEND_ERROR', final: false };
}
