import { Injectable, type PipeTransform } from '@nestjs/common';
import { Refusal } from '../../http/refusal.js';

const KEY = /^\S{1,100}$/;
const WORDS = 'must be 1 to 100 characters without spaces';

/** Checks a key of the stand-in in a path: anything that fits into its header. */
@Injectable()
export class KeyPipe implements PipeTransform {
  transform(key: string): string {
    if (KEY.test(key)) return key;
    throw new Refusal(400, 'VALIDATION_FAILED', `key ${WORDS}`, { fields: { key: [WORDS] } });
  }
}
