/**
 * The Signal library prints whole sessions, private keys included, through the console. Nothing in this
 * program writes there on purpose, so the console is emptied before that library is loaded.
 */
export function quietConsole(): void {
  for (const method of ['log', 'info', 'warn', 'error', 'debug', 'trace'] as const) {
    console[method] = (): void => undefined;
  }
}

quietConsole();
