import { Type } from 'class-transformer';
import { IsObject, IsString, ValidateNested } from 'class-validator';
import { defineRequest } from '../../contract.js';
import { PasskeyAssertion, PasskeyView } from '../../http/sessions/passkey.js';
import { Nothing } from '../refs.js';
import { SessionRef } from './sessions.js';

/** Request of `answer-passkey`. */
export class AnswerPasskeyV1 extends SessionRef {
  @IsObject() @ValidateNested() @Type(() => PasskeyAssertion) assertion: PasskeyAssertion;
}

/** Request of `confirm-passkey`. */
export class ConfirmPasskeyV1 extends SessionRef {
  @IsString() code: string;
}

const APP = 'session-worker';
/** Shows the challenge that the platform wants a passkey for. Throws `PASSKEY_NOT_FOUND`, or `PASSKEY_ENDED` with a reason. */
export const GetPasskey = defineRequest(APP, 'passkey', SessionRef, PasskeyView);
/** Hands in the answer of the browser. Throws `VALIDATION_FAILED`, `PASSKEY_CONFLICT` where it is not the next step, and as `GetPasskey` does. */
export const AnswerPasskey = defineRequest(APP, 'answer-passkey', AnswerPasskeyV1, PasskeyView);
/** Confirms that both screens show this code. Throws as `AnswerPasskey` does. */
export const ConfirmPasskey = defineRequest(APP, 'confirm-passkey', ConfirmPasskeyV1, PasskeyView);
/** Gives the link up: another QR code follows. Throws as `GetPasskey` does. */
export const GiveUpPasskey = defineRequest(APP, 'give-up-passkey', SessionRef, Nothing);
