import { Injectable } from '@nestjs/common';
import { JetStreamStrategy, OwnerLine } from '@svc/messaging';
import { OwnerAnswers } from './owner-answers.js';
import type { Fence } from '../ownership/fence.js';

/** Where an owned partition is reached: the commands for its sessions, and the questions to their sockets. */
@Injectable()
export class PartitionDoors {
  constructor(
    private readonly commands: JetStreamStrategy,
    private readonly line: OwnerLine,
    private readonly answers: OwnerAnswers,
  ) {}

  open(fence: Fence): void {
    this.commands.startPartition(fence.partition);
    this.line.open(fence.partition, (verb, question) => this.answers.answer(fence, verb, question));
  }

  /** Resolves when the commands in hand are done with. */
  async close(partition: number): Promise<void> {
    this.line.close(partition);
    await this.commands.stopPartition(partition);
  }
}
