import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { AppError } from './app-error.js';
import './remembered-rules.js';

/** Constructor of a class that carries class-validator rules. */
export type DataClass<T extends object = object> = new () => T;

/** Something that happened. Published by the owner of the truth only; `name` is the customer's webhook name. */
export interface EventContract<T extends object = object> {
  readonly kind: 'event';
  readonly name: string;
  readonly version: number;
  readonly data: DataClass<T>;
}

/** Something that one partition's owner shall do. */
export interface CommandContract<T extends object = object> {
  readonly kind: 'command';
  readonly name: string;
  readonly version: number;
  readonly data: DataClass<T>;
}

/** A question that is answered in bounded time by any instance of `app`. */
export interface RequestContract<Q extends object = object, A extends object = object> {
  readonly kind: 'request';
  readonly app: string;
  /** NATS subject, `rpc.<app>.<verb>`. */
  readonly subject: string;
  readonly request: DataClass<Q>;
  readonly reply: DataClass<A>;
}

/** Ties an event name and version to its payload class: one value, so that they cannot part company. */
export function defineEvent<T extends object>(
  name: string,
  version: number,
  data: DataClass<T>,
): EventContract<T> {
  return { kind: 'event', name, version, data };
}

/** Ties a command name and version to its payload class. */
export function defineCommand<T extends object>(
  name: string,
  version: number,
  data: DataClass<T>,
): CommandContract<T> {
  return { kind: 'command', name, version, data };
}

/** Ties a request subject to the classes of the question and of the answer. */
export function defineRequest<Q extends object, A extends object>(
  app: string,
  verb: string,
  request: DataClass<Q>,
  reply: DataClass<A>,
): RequestContract<Q, A> {
  return { kind: 'request', app, subject: `rpc.${app}.${verb}`, request, reply };
}

/** One broken rule: the path of the field (`media.kind`) and the rule in words. */
export interface FieldProblem {
  field: string;
  rule: string;
}

/**
 * Turns plain data into an instance of its contract class and checks it. Unknown fields are kept out silently:
 * a newer producer may send more than this reader knows.
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

/** As many problems as a person reads; whoever sends thousands does not get thousands back. */
const MOST_PROBLEMS = 20;

/** The `VALIDATION_FAILED` error for what class-validator found. */
export function validationFailed(errors: ValidationError[]): AppError {
  return invalidFields(fieldProblems(errors));
}

/** The `VALIDATION_FAILED` error for broken rules: names each field and the rule it breaks, up to 20. */
export function invalidFields(problems: FieldProblem[], cause?: unknown): AppError {
  const fields = problems.slice(0, MOST_PROBLEMS);
  const more = problems.length - fields.length;
  const rules = fields.map((problem) => problem.rule).concat(more > 0 ? `and ${more} more` : []);
  return new AppError('VALIDATION_FAILED', rules.join('; '), { fields }, { cause });
}

/** The `VALIDATION_FAILED` error for one field that breaks a rule which no decorator can say. */
export function invalidField(field: string, rule: string, cause?: unknown): AppError {
  return invalidFields([{ field, rule }], cause);
}

function fieldProblems(errors: ValidationError[], parent = ''): FieldProblem[] {
  return errors.flatMap((error) => {
    const field = parent ? `${parent}.${error.property}` : error.property;
    const own = Object.values(error.constraints ?? {}).map((rule) => ({
      field,
      rule: parent ? `${parent}.${rule}` : rule,
    }));
    return [...own, ...fieldProblems(error.children ?? [], field)];
  });
}
