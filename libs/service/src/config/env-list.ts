import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsNumber, Max, Min } from 'class-validator';
import { Env, type EnvOptions } from './config.js';

/** Reads one number or word for all, or one for each, in their order and separated by commas. */
function EnvList(
  name: string,
  options: EnvOptions,
  count: number,
  read: (text: string) => unknown,
  rules: PropertyDecorator[],
): PropertyDecorator {
  const size = { message: `${name} must be one value, or ${count} separated by commas` };
  const readAll = (text: string): unknown[] => {
    const values = text.split(',').map((one) => read(one.trim()));
    return values.length === 1 ? Array<unknown>(count).fill(values[0]) : values;
  };
  return applyDecorators(
    Env(name, options),
    Transform(({ value }) => (typeof value === 'string' ? readAll(value) : (value as unknown))),
    IsArray(),
    ArrayMinSize(count, size),
    ArrayMaxSize(count, size),
    ...rules,
  );
}

/** Marks a property as a list of `count` numbers, or one number for all of them. */
export function EnvNumbers(
  name: string,
  options: EnvOptions,
  count: number,
  { least, most }: { least: number; most: number },
): PropertyDecorator {
  return EnvList(name, options, count, (text) => (text === '' ? NaN : Number(text)), [
    IsNumber({}, { each: true, message: `${name} must hold numbers` }),
    Min(least, { each: true, message: `${name} must not be less than ${least}` }),
    Max(most, { each: true, message: `${name} must not be greater than ${most}` }),
  ]);
}

/** Marks a property as a list of `count` words, or one word for all of them. */
export function EnvWords(
  name: string,
  options: EnvOptions,
  count: number,
  words: readonly string[],
): PropertyDecorator {
  const rule = { each: true, message: `${name} must hold ${words.join(' or ')}` };
  return EnvList(name, options, count, (text) => text, [IsIn(words, rule)]);
}
