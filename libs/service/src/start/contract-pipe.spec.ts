import type { ArgumentMetadata } from '@nestjs/common';
import { describe, expect, test } from '@jest/globals';
import { GetTiersV1 } from '@svc/contracts';
import { ContractPipe } from './start-service.js';

const pipe = new ContractPipe();
const body = (metatype: ArgumentMetadata['metatype']): ArgumentMetadata => ({ type: 'body', metatype });

describe('the payload of a handler', () => {
  test('becomes an instance of the contract class', () => {
    expect(pipe.transform({ sessionIds: [] }, body(GetTiersV1))).toBeInstanceOf(GetTiersV1);
  });

  test('that breaks the contract is refused', () => {
    expect(() => pipe.transform({ sessionIds: 'x' }, body(GetTiersV1))).toThrow(
      expect.objectContaining({ code: 'VALIDATION_FAILED' }),
    );
  });

  test('that was checked already is left alone', () => {
    const checked = new GetTiersV1();
    expect(pipe.transform(checked, body(GetTiersV1))).toBe(checked);
  });

  test.each([
    ['without a class', body(undefined)],
    ['declared as an interface', body(Object)],
    ['that is no payload', { type: 'custom', metatype: GetTiersV1 } as ArgumentMetadata],
  ])('%s is left alone', (_, metadata) => {
    const value = { anything: 1 };
    expect(pipe.transform(value, metadata)).toBe(value);
  });
});
