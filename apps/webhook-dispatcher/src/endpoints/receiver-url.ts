import { type AddressGuard, NO_HTTPS, NOT_ALLOWED } from '@svc/outbound-http';
import { invalidField } from '@svc/contracts';

const LIST = 'the operator of the gateway allows';
const LISTED = {
  [NOT_ALLOWED]: `, unless ${LIST} its origin (WEBHOOK_ALLOWED_ORIGINS)`,
  [NO_HTTPS]: `, or one whose origin ${LIST} (WEBHOOK_ALLOWED_ORIGINS)`,
};

/** Checks the address of a receiver. @throws AppError `VALIDATION_FAILED` that names the field; it says nothing about what an address resolves to. */
export async function checkReceiverUrl(guard: AddressGuard, url: string, field: string): Promise<void> {
  const problem = await guard.problemWith(url);
  if (!problem) return;
  // A receiver beside the gateway is not public: whoever wants one reads that there is a list, and not what stands in it.
  const mayBeListed = problem === NOT_ALLOWED || (problem === NO_HTTPS && /^http:/i.test(url));
  throw invalidField(field, `${field}: ${problem}${mayBeListed ? LISTED[problem] : ''}`);
}
