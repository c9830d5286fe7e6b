/** A field of a class that is put together from kinds of content: the decorators that describe and check it. */
export interface Field<T> {
  readonly decorators: readonly PropertyDecorator[];
  /** Type of the field, for the compiler alone. */
  readonly value?: T;
}

/** Fields by their names. */
export type Fields = Readonly<Record<string, Field<unknown>>>;

/** The properties of a class that has each of these fields where content of one of these kinds has it. */
export type PropertiesOf<F> = { [Name in NameIn<F>]?: ValueIn<F, Name> };
type NameIn<F> = F extends Fields ? Extract<keyof F, string> : never;
type ValueIn<F, Name extends string> = F extends Readonly<Record<Name, Field<infer T>>> ? T : never;

/** Makes a field. The decorators have the order in which they would stand above a property. */
export function field<T>(...decorators: PropertyDecorator[]): Field<T> {
  return { decorators };
}

/** A field, and the kinds of content that have it. */
export interface SharedField<Type> {
  readonly name: string;
  readonly field: Field<unknown>;
  readonly types: readonly Type[];
}

/** Gathers the fields of several kinds by their names. A field that kinds share is one constant: two of a name are a mistake. */
export function sharedFields<Type>(kinds: (readonly [Type, Fields])[]): SharedField<Type>[] {
  const names = new Set(kinds.flatMap(([, fields]) => Object.keys(fields)));
  return [...names].map((name) => {
    const having = kinds.filter(([, fields]) => name in fields);
    const [shared, ...others] = new Set(having.map(([, fields]) => fields[name]));
    if (!shared || others.length > 0) throw new Error(`Kinds of content describe ${name} in two ways.`);
    return { name, field: shared, types: having.map(([type]) => type) };
  });
}

/** Adds the fields to the class, behind the property above which it is the first decorator: in errors and descriptions they come there. */
export function FollowedBy(
  fields: readonly Pick<SharedField<unknown>, 'name' | 'field'>[],
): PropertyDecorator {
  return (target) => {
    for (const { name, field } of fields) {
      for (const decorate of field.decorators.toReversed()) decorate(target, name);
    }
  };
}
