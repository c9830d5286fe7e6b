import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync, type ValidationError } from 'class-validator';
import { AppError } from './app-error.js';
import type { DataClass } from './contract.js';

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
  const rules = byType.get(type) ?? collect(type, schema, always, strictGroups, groups);
  byType.set(type, rules);
  return rules;
};

/** One broken rule: the path of the field (`media.kind`) and the rule in words. */
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
