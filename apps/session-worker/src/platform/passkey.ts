import type { PasskeyAssertion, PasskeyFailure, PasskeyStage } from '@svc/contracts';

/** State of a link that needs a passkey. Challenge and code are for those who may link: neither is written to a log or a table. */
export interface PasskeyState {
  stage: PasskeyStage;
  /** Challenge, as a browser takes it. */
  options: Record<string, unknown>;
  /** Time at which the step is over, and the link with it. */
  expiresAt: Date;
  /** Code to compare with that on the phone, once there is one. */
  code?: string;
}

/** Failure of a link that needed a passkey. */
export interface PasskeyFailed {
  stage: 'failed';
  reason: PasskeyFailure;
  /** The platform's error number. */
  platformCode?: number;
}

/** Report of each step of such a link, and of its end. */
export type PasskeyReport = PasskeyState | { stage: 'linked' } | PasskeyFailed;

/** Steps that a person takes in a link that needs a passkey. */
export interface PasskeySteps {
  /**
   * Hands in the answer of the browser; resolves when the platform has taken it.
   * @throws PasskeyInputError
   * @throws PasskeyStageError
   * @throws PasskeyEndedError
   */
  answer(assertion: PasskeyAssertion): Promise<void>;
  /**
   * Says that both screens show this code; resolves when the platform has been told.
   * @throws PasskeyInputError where another one is shown
   * @throws PasskeyStageError
   * @throws PasskeyEndedError
   */
  confirm(code: string): Promise<void>;
  /** Gives the link up, and with it the socket. */
  giveUp(): void;
}
