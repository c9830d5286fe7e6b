import type { MediaFailure } from '@svc/contracts';

/** Error of a file of a message that cannot be fetched; `isFinal` says that no later attempt will fetch it either. */
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

/** Error of a send to a group that does not exist, or that the session does not belong to. */
export class NotInGroupError extends Error {
  override readonly name = 'NotInGroupError';

  constructor() {
    super('The session is not in the group.');
  }
}

/** The platform refuses the name that the device gives itself. */
export class DeviceNameRefusedError extends Error {
  override readonly name = 'DeviceNameRefusedError';

  constructor() {
    super('The platform does not take the name of the device.');
  }
}

/** Error of a question to the platform that got no answer. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';

  constructor() {
    super('The platform does not answer.');
  }
}

/** Error of a rejection of a call that does not ring, or not any more. */
export class CallNotRingingError extends Error {
  override readonly name = 'CallNotRingingError';

  constructor() {
    super('The call does not ring.');
  }
}
