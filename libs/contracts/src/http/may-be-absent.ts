import { ValidateIf } from 'class-validator';

/** Lets a field be left out, and refuses null: of a change to what exists, null would mean that something goes, and here nothing can. */
export const MayBeAbsent = (): PropertyDecorator => ValidateIf((_body, value) => value !== undefined);
