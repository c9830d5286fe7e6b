import { Param } from '@nestjs/common';
import { AppError, type ErrorCode } from '@svc/contracts';
import { isUUID } from 'class-validator';

/** Reads an id from the path. What is no UUID names nothing: the 404 of the resource, before anybody is asked. */
export function IdParam(name: string, notFound: ErrorCode): ParameterDecorator {
  return Param(name, {
    transform: (value: string) => {
      if (!isUUID(value)) throw new AppError(notFound);
      return value.toLowerCase();
    },
  });
}
