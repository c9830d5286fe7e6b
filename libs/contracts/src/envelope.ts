import { IsInt, IsISO8601, IsObject, IsOptional, IsString, IsUUID, Min } from 'class-validator';
import { validate as isUuid } from 'uuid';
import { AppError } from './app-error.js';
import type { CommandContract, EventContract } from './contract.js';
import { parseData } from './parsing.js';

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
  /** W3C trace context, if there is one. */
  @IsOptional() @IsString() traceparent?: string;
  @IsObject() data: T;
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isVersion = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 1;
const isInstant = (value: unknown): boolean =>
  typeof value === 'string' && INSTANT.test(value) && !Number.isNaN(Date.parse(value));
const isAbsentOrText = (value: unknown): boolean => value === undefined || typeof value === 'string';

/**
 * Whether this is an envelope as our services write them. Every event of every service comes by here, and the validator
 * takes ten times as long: it checks only what looks otherwise, and writes the words of the error.
 */
function isAsWritten(plain: unknown): plain is Envelope {
  if (!isObject(plain)) return false;
  const { id, type, version, tenantId, occurredAt, traceparent, data } = plain as Record<string, unknown>;
  const isNamed = isUuid(id) && isUuid(tenantId) && typeof type === 'string' && isVersion(version);
  return isNamed && isInstant(occurredAt) && isAbsentOrText(traceparent) && isObject(data);
}

/**
 * Checks an envelope and leaves the data inside as it is: for who carries events on without looking into them.
 * @throws AppError `VALIDATION_FAILED`: permanent, so a consumer dead-letters it.
 */
export function readEnvelope(plain: unknown): Envelope {
  if (!isAsWritten(plain)) {
    const envelope = parseData(Envelope, plain);
    envelope.data = (plain as Envelope).data;
    return envelope;
  }
  const { id, type, version, tenantId, occurredAt, traceparent, data } = plain;
  const envelope = new Envelope();
  envelope.id = id;
  envelope.type = type;
  envelope.version = version;
  envelope.tenantId = tenantId;
  envelope.occurredAt = occurredAt;
  if (traceparent !== undefined) envelope.traceparent = traceparent;
  envelope.data = data;
  return envelope;
}

/**
 * Checks an envelope and the data inside it against the contract it names.
 * @throws AppError `VALIDATION_FAILED`: permanent, so a consumer dead-letters it.
 */
export function parseEnvelope<T extends object>(
  contract: EventContract<T> | CommandContract<T>,
  plain: unknown,
): Envelope<T> {
  const envelope = readEnvelope(plain);
  if (envelope.type !== contract.name || envelope.version !== contract.version) {
    throw new AppError(
      'VALIDATION_FAILED',
      `Expected ${contract.name} v${contract.version}, got ${envelope.type} v${envelope.version}.`,
    );
  }
  return Object.assign(envelope, { data: parseData(contract.data, envelope.data) });
}
