import { IsInt, IsISO8601, IsObject, IsOptional, IsString, IsUUID, Min } from 'class-validator';
import { AppError } from './app-error.js';
import { type CommandContract, type EventContract, parseData } from './contract.js';

/** What travels on JetStream around the data of an event or a command. */
export class Envelope<T extends object = object> {
  /** UUID; also the JetStream message id, so that a repeat within two minutes is stored once. */
  @IsUUID() id: string;
  /** Contract name, e.g. `message.sent`. */
  @IsString() type: string;
  /** Contract version; readers refuse what they do not know. */
  @IsInt() @Min(1) version: number;
  @IsUUID() tenantId: string;
  /** ISO 8601 in UTC. */
  @IsISO8601() occurredAt: string;
  /** W3C trace context, where one is known. */
  @IsOptional() @IsString() traceparent?: string;
  @IsObject() data: T;
}

/**
 * Checks an envelope and the data inside it against the contract it names.
 * @throws AppError `VALIDATION_FAILED`: permanent, so a consumer dead-letters it.
 */
export function parseEnvelope<T extends object>(
  contract: EventContract<T> | CommandContract<T>,
  plain: unknown,
): Envelope<T> {
  const envelope = parseData<Envelope<T>>(Envelope, plain);
  if (envelope.type !== contract.name || envelope.version !== contract.version) {
    throw new AppError(
      'VALIDATION_FAILED',
      `Expected ${contract.name} v${contract.version}, got ${envelope.type} v${envelope.version}.`,
    );
  }
  envelope.data = parseData(contract.data, (plain as Envelope<T>).data);
  return envelope;
}
