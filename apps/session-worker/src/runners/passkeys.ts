import { AppError, invalidField, type PasskeyAssertion, type PasskeyView } from '@svc/contracts';
import { PasskeyEndedError, PasskeyInputError, PasskeyStageError } from '../platform/errors.js';
import type { PasskeyFailed, PasskeyReport, PasskeyState, PasskeySteps } from '../platform/passkey.js';

/** Shows the link of one session that needs a passkey, and passes on the steps of a person. It lives in memory alone, with its socket. */
export class Passkeys {
  private state: PasskeyState | undefined;
  /** End of the last one that has come to nothing. */
  private failed: PasskeyFailed | undefined;

  /** @param steps the steps of the present socket. */
  constructor(private readonly steps: () => PasskeySteps | undefined) {}

  /** Takes a report of the socket. */
  take(report: PasskeyReport): void {
    this.state = report.stage === 'linked' || report.stage === 'failed' ? undefined : report;
    this.failed = report.stage === 'failed' ? report : undefined;
  }

  /** The socket is gone, and the link with it. */
  lose(): void {
    if (this.state) this.take({ stage: 'failed', reason: 'CONNECTION_LOST' });
  }

  /** @throws AppError `PASSKEY_NOT_FOUND`, `PASSKEY_ENDED` */
  view(): PasskeyView {
    if (!this.state) throw this.nothing();
    const { stage, options, expiresAt, code = null } = this.state;
    return { stage, options, expiresAt: expiresAt.toISOString(), code };
  }

  /** @throws AppError as `view` does, and `VALIDATION_FAILED`, `PASSKEY_CONFLICT` */
  async answer(assertion: PasskeyAssertion): Promise<PasskeyView> {
    await this.step((steps) => steps.answer(assertion));
    return this.view();
  }

  /** @throws AppError as `answer` does */
  async confirm(code: string): Promise<PasskeyView> {
    const { options, expiresAt } = this.view();
    await this.step((steps) => steps.confirm(code));
    // It may be linked by now.
    return this.state ? this.view() : { stage: 'finishing', options, expiresAt, code };
  }

  /** @throws AppError as `view` does */
  async giveUp(): Promise<void> {
    await this.step(async (steps) => steps.giveUp());
  }

  private async step(work: (steps: PasskeySteps) => Promise<void>): Promise<void> {
    const steps = this.state && this.steps();
    if (!steps) throw this.nothing();
    try {
      await work(steps);
    } catch (error) {
      if (error instanceof PasskeyInputError) throw invalidField(error.field, `${error.field} ${error.rule}`);
      if (error instanceof PasskeyStageError)
        throw new AppError('PASSKEY_CONFLICT', undefined, { stage: this.state?.stage });
      if (error instanceof PasskeyEndedError) throw this.nothing();
      throw error;
    }
  }

  private nothing(): AppError {
    if (!this.failed) return new AppError('PASSKEY_NOT_FOUND');
    const { reason, platformCode } = this.failed;
    return new AppError('PASSKEY_ENDED', undefined, {
      reason,
      ...(platformCode !== undefined && { platformCode }),
    });
  }
}
