import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { KeyWriter } from './key-writer.js';
import { SessionStore, type StoreScope } from './session-store.js';
import { Vault } from '../credentials/vault.js';

/** The stores of this process's sessions. */
@Injectable()
export class SessionStores {
  constructor(
    private readonly dataSource: DataSource,
    private readonly vault: Vault,
    private readonly keys: KeyWriter,
  ) {}

  of(scope: StoreScope): SessionStore {
    return new SessionStore(scope, this.dataSource, this.vault, this.keys);
  }

  /** The session is deleted: nothing of it is kept in memory. */
  forget(sessionId: string): void {
    this.vault.forget(sessionId);
  }
}
