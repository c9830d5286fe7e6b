import { AppError } from '@svc/contracts';

/** Makes the refusal of a command that is wrong, in one sentence. */
export function refuse(message: string): AppError {
  return new AppError('VALIDATION_FAILED', message);
}
