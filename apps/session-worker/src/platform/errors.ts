import type { MediaFailure } from '@svc/contracts';

/** The file of a message cannot be had; `isFinal`: later neither. */
export class MediaError extends Error {
  override readonly name = 'MediaError';

  constructor(
    readonly reason: MediaFailure,
    readonly isFinal: boolean,
    cause?: unknown,
  ) {
    super(`The file is not to be had: ${reason}.`, { cause });
  }
}

/** The platform does not know the recipient. */
export class NotOnPlatformError extends Error {
  override readonly name = 'NotOnPlatformError';

  constructor() {
    super('The recipient is not on the platform.');
  }
}

/** There is no such group, or the session does not belong to it. */
export class NotInGroupError extends Error {
  override readonly name = 'NotInGroupError';

  constructor() {
    super('The session is not in the group.');
  }
}

/** The platform was asked and did not answer. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';

  constructor() {
    super('The platform does not answer.');
  }
}
