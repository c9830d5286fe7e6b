import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { SandboxNumber } from './sandbox-number.entity.js';

const MOST_TRIES = 20;

/** This class gives each sandbox session a phone number of its own, of area code 555, which is nobody's. */
@Injectable()
export class SandboxNumbers {
  constructor(@InjectRepository(SandboxNumber) private readonly numbers: Repository<SandboxNumber>) {}

  /** Finds the digits of the session's phone; they are drawn when they are first asked for. */
  async of(sessionId: string): Promise<string> {
    for (let attempt = 0; attempt < MOST_TRIES; attempt += 1) {
      const existing = await this.numbers.findOneBy({ sessionId });
      if (existing) return existing.phone;
      const free = { phone: numberFrom(`${sessionId}/${attempt}`), sessionId };
      await this.numbers.createQueryBuilder().insert().values(free).orIgnore().execute();
    }
    throw new Error('No free number was found for a sandbox session.');
  }

  /** Forgets the phone of a session that is deleted. */
  async forget(sessionId: string): Promise<void> {
    await this.numbers.delete({ sessionId });
  }
}

/** Makes a number from +1 555 200 0000 on: the magic numbers lie below. */
function numberFrom(text: string): string {
  const drawn = createHash('sha256').update(text).digest().readUInt32BE() % 8_000_000;
  return `1555${2_000_000 + drawn}`;
}
