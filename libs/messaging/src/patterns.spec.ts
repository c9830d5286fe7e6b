import { expect, test } from '@jest/globals';
import { Envelope, ReconcileSession } from '@svc/contracts';
import { OnCommand } from './patterns.js';

test('a handler whose Envelope was imported as a type alone is refused when its class is defined', () => {
  const define = (type: unknown) => () => {
    const target = { handle: () => undefined };
    Reflect.defineMetadata('design:paramtypes', [type], target, 'handle');
    const descriptor = Object.getOwnPropertyDescriptor(target, 'handle') as PropertyDescriptor;
    OnCommand(ReconcileSession)(target, 'handle', descriptor);
  };
  expect(define(Object)).toThrow('handle of reconcile-session takes no Envelope');
  expect(define(Envelope)).not.toThrow();
});
