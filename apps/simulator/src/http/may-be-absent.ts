import { ValidateIf } from 'class-validator';

/** Lets a field be left out. Unlike `IsOptional` it does not let null through. */
export const MayBeAbsent = (): PropertyDecorator => ValidateIf((_body, value) => value !== undefined);
