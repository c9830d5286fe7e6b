import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { InjectDataSource } from '@nestjs/typeorm';
import { EraseContactV1, type ErasedInLimits, EraseInLimits } from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { DataSource } from 'typeorm';
import { ContactHash } from './contact-hash.js';

const ERASE_SQL = 'DELETE FROM warmup_contact WHERE tenant_id = $1 AND contact = ANY($2::bigint[])';

/** This consumer takes erasures: it deletes the hashes by which a contact was counted once. */
@Controller()
export class ErasureConsumer {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly hash: ContactHash,
  ) {}

  @OnRequest(EraseInLimits)
  async erase(@Payload() { tenantId, contact }: EraseContactV1): Promise<ErasedInLimits> {
    await this.hash.convert();
    const hashes = (await this.hash.of([contact])).flatMap(({ now, before }) => [
      now,
      ...(before ? [before] : []),
    ]);
    const [, contacts] = await this.dataSource.query<[unknown[], number]>(ERASE_SQL, [tenantId, hashes]);
    return { contacts };
  }
}
