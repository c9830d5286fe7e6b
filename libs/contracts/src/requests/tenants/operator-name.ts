import { IsOptional, Matches } from 'class-validator';

/** Letters, digits, spaces and what stands in names and mail addresses: it goes into audit logs that others read. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N} .'_@+-]{0,63}$/u;

/** This rule says that a property is the name of the person who operates, or left out. */
export function IsOperatorName(): PropertyDecorator {
  return (target, property) => {
    IsOptional()(target, property);
    Matches(NAME, { message: "$property must be 1 to 64 letters, digits, spaces or . ' _ @ + -" })(
      target,
      property,
    );
  };
}

/** The operator as the audit log names them, with their name where it is known. */
export function operatorActor(name: string | undefined): string {
  return name === undefined ? 'operator' : `operator:${name}`;
}
