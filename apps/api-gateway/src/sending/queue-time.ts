import { invalidField, QUEUE_FOR_SECONDS, type SendMessageRequest } from '@svc/contracts';

/**
 * How long a message waits for its session, in seconds; null: it is not to wait.
 * @throws AppError `VALIDATION_FAILED` that names the field.
 */
export function queueTimeOf({ onDisconnected, queueForSeconds }: SendMessageRequest): number | null {
  if (onDisconnected === 'queue') return queueForSeconds ?? QUEUE_FOR_SECONDS;
  if ((queueForSeconds ?? null) === null) return null;
  const field = 'queueForSeconds';
  throw invalidField(field, `${field} must be given with onDisconnected queue only`);
}
