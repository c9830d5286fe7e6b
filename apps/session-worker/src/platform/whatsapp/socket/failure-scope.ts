import { AsyncLocalStorage } from 'node:async_hooks';

const scopes = new AsyncLocalStorage<FailureScope>();

/** Ends one socket when anything that is done for it, however long after, fails without anybody listening. */
export class FailureScope {
  // Emptied at the end: connections that were opened in the scope live longer, and would hold the socket in memory.
  private fail: (() => void) | undefined;

  constructor(fail: () => void) {
    this.fail = fail;
  }

  run<T>(work: () => T): T {
    return scopes.run(this, work);
  }

  close(): void {
    this.fail = undefined;
  }

  /** Ends the socket of the current context. For `unhandledRejection`, which Node tells in the context of the promise. */
  static failed(): void {
    scopes.getStore()?.fail?.();
  }
}
