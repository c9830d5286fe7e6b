import { getMetadataStorage } from 'class-validator';

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
