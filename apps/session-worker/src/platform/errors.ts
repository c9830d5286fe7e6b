import type { MediaFailure } from '@svc/contracts';
import type { PasskeyFailed } from './passkey.js';

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

/** Error of a step of a link with a passkey that is not the next one, or is under way. */
export class PasskeyStageError extends Error {
  override readonly name = 'PasskeyStageError';

  constructor() {
    super('This is not the next step.');
  }
}

/** Error of an answer that the platform would refuse; it stays here. */
export class PasskeyInputError extends Error {
  override readonly name = 'PasskeyInputError';

  /** @param rule rule that the field breaks, in words that follow its name. */
  constructor(
    readonly field: string,
    readonly rule: string,
  ) {
    super(`${field} ${rule}.`);
  }
}

/** Error of a link with a passkey that has come to nothing. */
export class PasskeyEndedError extends Error {
  override readonly name = 'PasskeyEndedError';

  constructor(readonly end: PasskeyFailed) {
    super(`The link has ended: ${end.reason}.`);
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
