import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { type DataClass, parseData } from '@svc/contracts';

/** Checks the payload of a message handler against the contract class of its parameter. */
@Injectable()
export class ContractPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (type !== 'body' || metatype === undefined || metatype === Object) return value;
    // JetStream hands over envelopes that its strategy has checked already.
    return value instanceof metatype ? value : parseData(metatype as DataClass, value);
  }
}
