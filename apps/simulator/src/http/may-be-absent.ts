import { ValidateIf } from 'class-validator';

/** A field that may be left out. Unlike `IsOptional` it does not let null through. */
export const MayBeAbsent = (): PropertyDecorator => ValidateIf((_body, value) => value !== undefined);
