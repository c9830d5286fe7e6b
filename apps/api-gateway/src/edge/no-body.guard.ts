import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { AppError, unknownField } from '@svc/contracts';
import type { FastifyRequest } from 'fastify';
import { parseStrictJson } from './request-pipe.js';

/** This guard refuses a body where a call takes none; an empty object is fine. */
@Injectable()
export class NoBodyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { body } = context.switchToHttp().getRequest<FastifyRequest<{ Body?: Buffer }>>();
    if (!body || body.length === 0) return true;
    const fields = Object.keys(parseStrictJson(body)).map((field) => ({
      field,
      rule: unknownField(field),
    }));
    if (fields.length > 0) throw new AppError('VALIDATION_FAILED', 'This call takes no body.', { fields });
    return true;
  }
}
