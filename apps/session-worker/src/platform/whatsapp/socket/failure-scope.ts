import { AsyncLocalStorage } from 'node:async_hooks';

const scopes = new AsyncLocalStorage<FailureScope>();

/** All that is done for one socket, however long after: what fails in it without anybody listening ends this socket. */
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

  /** For `unhandledRejection`, which Node tells in the context of the promise. */
  static failed(): void {
    scopes.getStore()?.fail?.();
  }
}
