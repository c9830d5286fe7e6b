import { Matches } from 'class-validator';

/** Letters, digits, spaces and a little more. A name like the platform's own would let people take us for it. */
const DEVICE_NAME = /^(?!.*(?:whats\s*app|meta\b|facebook))[\p{L}\p{N}][\p{L}\p{N} .&-]{0,29}$/iu;

/** Checks the name under which a phone lists a device. */
export const IsDeviceName = (): PropertyDecorator =>
  Matches(DEVICE_NAME, {
    message: '$property must be at most 30 letters, digits, spaces or .&-, and must not name the platform',
  });
