import type { Stack } from './stack.js';

/** A linked device, as the platform sees it. */
export interface Device {
  online: boolean;
  connectedAt: string | null;
  /** True when the number has logged in to the end. */
  active: boolean;
  /** Stanzas it has not confirmed yet. */
  queued: number;
}

/** Reads the linked devices of every number of the platform. */
export async function devicesOf(stack: Stack): Promise<Map<string, Device[]>> {
  const { items } = await stack.platform<{ items: { phone: string; devices: Device[] }[] }>(
    'GET',
    '/accounts',
  );
  return new Map(items.map(({ phone, devices }) => [phone, devices]));
}

/** Plays steps on the platform side by side, without a request each; returns when all are done. */
export async function playScenario(stack: Stack, steps: object[]): Promise<void> {
  const { id } = await stack.platform<{ id: string }>('POST', '/scenarios', { steps });
  for (;;) {
    const { state, steps: views } = await stack.platform<{
      state: string;
      steps: { failed: number; lastError: string | null }[];
    }>('GET', `/scenarios/${id}`);
    const failed = views.find((view) => view.failed > 0);
    if (failed) throw new Error(`The scenario failed: ${failed.lastError}`);
    if (state !== 'RUNNING') return;
    await new Promise((done) => setTimeout(done, 20));
  }
}
