// Waits for a program in a container to answer.
import { setTimeout as delay } from 'node:timers/promises';
import { podman } from './engine.mjs';

const READY_WITHIN_MS = 180_000;

/** Asks until the answer is a good one. @throws Error with the end of the container's log when none comes. */
export async function answerOf(url, container) {
  const until = Date.now() + READY_WITHIN_MS;
  for (;;) {
    const response = await fetch(url).catch(() => undefined);
    if (response?.ok) return response;
    if (Date.now() > until)
      throw new Error(
        `${container} does not answer ${url}:\n${(await podman('logs', container)).slice(-3000)}`,
      );
    await delay(200);
  }
}
