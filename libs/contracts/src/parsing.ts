import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import {
  getMetadataStorage,
  IsInt,
  IsISO8601,
  IsObject,
  IsOptional,
  IsString,
  IsUUID,
  Min,
  validateSync,
  type ValidationError,
} from 'class-validator';
import { validate as isUuid } from 'uuid';
import { AppError } from './app-error.js';
import type { CommandContract, DataClass, EventContract } from './contract.js';
import { putInWords, sentencesOf } from './rule-words.js';

const storage = getMetadataStorage();
const collect = storage.getTargetValidationMetadatas.bind(storage);
const byOptions = new Map<string, WeakMap<object, ReturnType<typeof collect>>>();

/**
 * This replaces a method of class-validator's storage, for the whole process: the rules of a class are collected once and cached
 * (ADR 31). For each object that it checks, class-validator walks through the rules of all classes there are, some hundreds here, to find
 * those of the object's own. They do not change once a class is loaded.
 */
storage.getTargetValidationMetadatas = (
  type,
  schema,
  always,
  strictGroups,
  groups,
): ReturnType<typeof collect> => {
  const options = `${schema}|${always}|${strictGroups}|${groups?.join() ?? ''}`;
  const byType = byOptions.get(options) ?? new WeakMap<object, ReturnType<typeof collect>>();
  byOptions.set(options, byType);
  const known = byType.get(type);
  if (known) return known;
  const rules = collect(type, schema, always, strictGroups, groups);
  rules.forEach(putInWords);
  byType.set(type, rules);
  return rules;
};

/** Rule that a body breaks: the path of the field (`media.kind`) and the rule in words. */
export interface FieldProblem {
  field: string;
  rule: string;
}

/**
 * Turns plain data into an instance of its contract class and checks it. It drops unknown fields silently:
 * a newer producer may send more than this reader reads.
 * @throws AppError `VALIDATION_FAILED` with `meta.fields`.
 */
export function parseData<T extends object>(type: DataClass<T>, plain: unknown): T {
  if (typeof plain !== 'object' || plain === null || Array.isArray(plain)) {
    throw new AppError('VALIDATION_FAILED', 'The data is not an object.');
  }
  const instance = plainToInstance(type, plain);
  const errors = validateSync(instance, { whitelist: true, forbidUnknownValues: false });
  if (errors.length > 0) throw validationFailed(errors);
  return instance;
}

/** The number of problems that an error names at most: a body with thousands of them is not answered with thousands. */
const MOST_PROBLEMS = 20;

/** Makes the `VALIDATION_FAILED` error for what class-validator found. */
export function validationFailed(errors: ValidationError[]): AppError {
  return invalidFields(fieldProblems(errors));
}

/** Makes the `VALIDATION_FAILED` error for broken rules: it names each field and the rule it breaks, up to 20. */
export function invalidFields(problems: FieldProblem[], cause?: unknown): AppError {
  const fields = problems.slice(0, MOST_PROBLEMS);
  const more = problems.length - fields.length;
  const rules = fields.map((problem) => problem.rule).concat(more > 0 ? `and ${more} more` : []);
  return new AppError('VALIDATION_FAILED', rules.join('; '), { fields }, { cause });
}

/** Makes the `VALIDATION_FAILED` error for one field that breaks a rule which no decorator can say. */
export function invalidField(field: string, rule: string, cause?: unknown): AppError {
  return invalidFields([{ field, rule }], cause);
}

function fieldProblems(errors: ValidationError[], parent = ''): FieldProblem[] {
  return errors.flatMap((error) => {
    const field = parent ? `${parent}.${error.property}` : error.property;
    const own = sentencesOf(error).map((rule) => ({ field, rule: parent ? `${parent}.${rule}` : rule }));
    return [...own, ...fieldProblems(error.children ?? [], field)];
  });
}

/** Envelope of an event or a command: the fields on JetStream around its data. */
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
 * Says whether a plain object is an envelope as our services write them. Every event of every service comes by here, and the validator
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
