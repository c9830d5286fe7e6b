import type { getMetadataStorage, ValidationError } from 'class-validator';

type Rule = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

/** Words for the type that a value has to have, whatever else holds for it: of another type, nothing more need be said of it. */
const TYPES: Record<string, string> = {
  isString: 'must be a string',
  isInt: 'must be a whole number',
  isNumber: 'must be a number',
  isBoolean: 'must be true or false',
  isArray: 'must be a list',
  isObject: 'must be an object',
  nestedValidation: 'must be an object',
};

/** The words of rules that class-validator words otherwise: for those who know neither it nor its names of types. */
const WORDS: Record<string, (...constraints: never[]) => string> = {
  isIn: (values: unknown[]) => `must be one of ${values.join(', ')}`,
  isLength: (least: number, most?: number) =>
    most === undefined ? atLeast(least, 'characters') : `must have ${least} to ${most} characters`,
  minLength: (least: number) => atLeast(least, 'characters'),
  maxLength: (most: number) => `must have ${most} characters at most`,
  isNotEmpty: () => 'must not be empty',
  isNotEmptyObject: () => 'must not be empty',
  arrayNotEmpty: () => 'must not be empty',
  arrayUnique: () => 'must not have the same entry twice',
  arrayMinSize: (least: number) => atLeast(least, 'entries'),
  arrayMaxSize: (most: number) => `must have ${most} entries at most`,
  isIso8601: () => 'must be in ISO 8601, such as 2026-01-31T12:00:00Z',
  isUuid: () => 'must be a UUID',
};

/** Gives a rule our words where its class has none of its own. */
export function putInWords(rule: Rule): void {
  const name = rule.name ?? rule.type;
  const words = TYPES[name] ?? WORDS[name]?.(...((rule.constraints ?? []) as never[]));
  if (words) rule.message ??= `$property${rule.each ? ': each entry' : ''} ${words}`;
}

/** The sentences of what is wrong with one field: that it is missing, of another type, or each rule that it breaks. */
export function sentencesOf({ property, value, constraints = {} }: ValidationError): string[] {
  const names = Object.keys(constraints);
  if (names.length === 0) return [];
  if (names.includes('whitelistValidation')) return [unknownField(property)];
  if (value === undefined) return [`${property} is missing`];
  const type = names.find((name) => name in TYPES);
  return type ? [constraints[type] as string] : [...new Set(Object.values(constraints))];
}

/** The sentence for a field that the call does not take. */
export function unknownField(field: string): string {
  return `${field} is not known here`;
}

function atLeast(least: number, what: string): string {
  return `must have ${least} ${what} at least`;
}
