import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { KeyWriter } from './key-writer.js';
import { SessionStore, type StoreScope } from './session-store.js';
import { Vault } from '../credentials/vault.js';

/** Makes the stores of this process's sessions. */
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

  /** Drops what the memory holds of a session that is deleted. */
  forget(sessionId: string): void {
    this.vault.forget(sessionId);
  }
}
