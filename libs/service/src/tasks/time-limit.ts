/** Time limit of one piece of work. */
export interface TimeLimit {
  /** Aborts when the time is over, when the parent aborts, or by `abort`. */
  signal: AbortSignal;
  /** Aborts the work now. */
  abort(reason?: unknown): void;
  /** Ends the limit: its work is done. Whoever starts a limit calls this, else the parent holds on to it. */
  clear(): void;
}

/**
 * Starts a time limit, in ms, for work that also ends with its parent. `AbortSignal.any` over a signal of `AbortSignal.timeout` is not used
 * for this: Node collects the pair as garbage while the work still waits for it, and the time is never over (nodejs/node 57736, 65995).
 */
export function startTimeLimit(limitMs: number, parent?: AbortSignal): TimeLimit {
  const controller = new AbortController();
  const { signal } = controller;
  const timer = setTimeout(() => {
    controller.abort(new DOMException(`The time of ${limitMs} ms is over.`, 'TimeoutError'));
  }, limitMs);
  const follow = (): void => controller.abort(parent?.reason);
  const clear = (): void => {
    clearTimeout(timer);
    parent?.removeEventListener('abort', follow);
  };
  signal.addEventListener('abort', clear);
  if (parent?.aborted) follow();
  else parent?.addEventListener('abort', follow);
  return { signal, abort: (reason) => controller.abort(reason), clear };
}
