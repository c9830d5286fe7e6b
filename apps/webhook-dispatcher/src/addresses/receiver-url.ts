import { AppError } from '@svc/contracts';
import type { AddressGuard } from './address-guard.js';

/** @throws AppError `VALIDATION_FAILED` that names the field; it says nothing about what an address resolves to. */
export async function checkReceiverUrl(guard: AddressGuard, url: string, field: string): Promise<void> {
  const problem = await guard.problemWith(url);
  if (problem) throw fieldProblem(field, `${field}: ${problem}`);
}

/** `VALIDATION_FAILED` about one field. */
export function fieldProblem(field: string, rule: string): AppError {
  return new AppError('VALIDATION_FAILED', rule, { fields: [{ field, rule }] });
}
