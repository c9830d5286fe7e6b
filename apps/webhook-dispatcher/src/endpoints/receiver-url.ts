import type { AddressGuard } from '@svc/outbound-http';
import { invalidField } from '@svc/contracts';

/** Checks the address of a receiver. @throws AppError `VALIDATION_FAILED` that names the field; it says nothing about what an address resolves to. */
export async function checkReceiverUrl(guard: AddressGuard, url: string, field: string): Promise<void> {
  const problem = await guard.problemWith(url);
  if (problem) throw invalidField(field, `${field}: ${problem}`);
}
