import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { type DataClass, validationFailed } from '@svc/contracts';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { assertStorable, parseStrictJson } from './strict-json.js';

/**
 * This pipe checks bodies and queries against the contract class of their parameter. Bodies arrive here as raw bytes, so that a
 * request without a valid key or subscription is refused before its body is read; unknown fields are refused.
 */
@Injectable()
export class RequestPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (metatype === undefined || metatype === Object) return value;
    if (type === 'body') return check(metatype as DataClass, parseStrictJson(value as Buffer | undefined));
    if (type !== 'query') return value;
    const query = { ...(value as object) };
    assertStorable(query);
    return check(metatype as DataClass, query);
  }
}

function check<T extends object>(type: DataClass<T>, plain: object): T {
  const instance = plainToInstance(type, plain);
  const errors = validateSync(instance, {
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: false,
  });
  if (errors.length > 0) throw validationFailed(errors);
  return instance;
}
