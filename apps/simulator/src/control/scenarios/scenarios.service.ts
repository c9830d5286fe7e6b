import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { Platform } from '../../platform.js';
import { Refusal } from '../../http/refusal.js';
import { withoutUndefined } from '../../http/without-undefined.js';
import { AccountsService } from '../accounts/accounts.service.js';
import { placeCall } from '../calls/place-call.js';
import { ContactsService } from '../contacts/contacts.service.js';
import { FaultsService } from '../faults/faults.service.js';
import { accountOf } from '../lookups.js';
import type { ScenarioState, ScenarioStep, ScenarioView, StepView } from './scenario-bodies.js';
import { type BodyOf, numbered, readBody, type StepAction } from './step-actions.js';
import { WireService } from '../wire/wire.service.js';

interface Scenario {
  state: ScenarioState;
  steps: StepView[];
  stop: AbortController;
}

type Actions = { [Action in StepAction]: (phone: string, body: BodyOf<Action>) => unknown };

/** This service runs steps over a time, side by side. */
@Injectable()
export class ScenariosService implements OnModuleDestroy {
  private readonly scenarios = new Map<string, Scenario>();
  private readonly actions: Actions;

  constructor(
    platform: Platform,
    contacts: ContactsService,
    accounts: AccountsService,
    faults: FaultsService,
    wire: WireService,
  ) {
    const { population, presence } = platform;
    this.actions = {
      write: (phone, body) => contacts.write(phone, body),
      typing: (phone, { to, state }) =>
        presence.type(population.ensureContact(phone), accountOf(platform, to), state),
      call: (phone, body) => placeCall(platform, phone, body),
      linking: (phone, body) => platform.pairing.rules.change(phone, withoutUndefined(body)),
      disconnect: (phone, body) => accounts.disconnect(phone, body),
      faults: (phone, body) => faults.change(phone, body),
      'clear-faults': (phone) => faults.clear(phone),
      rubbish: (phone, { kind }) => wire.rubbish(phone, kind),
      stanza: (phone, { stanza, keep }) => wire.stanza(phone, stanza, keep),
    };
  }

  onModuleDestroy(): void {
    for (const { stop } of this.scenarios.values()) stop.abort();
  }

  start(steps: ScenarioStep[]): ScenarioView {
    for (const { action, body } of steps) readBody(action, body);
    const id = uuidv7();
    const views = steps.map(() => ({ done: 0, failed: 0, lastError: null }));
    const scenario: Scenario = { state: 'RUNNING', steps: views, stop: new AbortController() };
    this.scenarios.set(id, scenario);
    void this.run(scenario, steps);
    return this.get(id);
  }

  get(id: string): ScenarioView {
    const { state, steps } = this.find(id);
    return { id, state, steps };
  }

  stop(id: string): ScenarioView {
    this.find(id).stop.abort();
    return this.get(id);
  }

  private find(id: string): Scenario {
    const scenario = this.scenarios.get(id);
    if (scenario) return scenario;
    throw new Refusal(404, 'SCENARIO_NOT_FOUND', `there is no scenario ${id}`);
  }

  private async run(scenario: Scenario, steps: ScenarioStep[]): Promise<void> {
    const { stop } = scenario;
    stop.signal.addEventListener('abort', () => (scenario.state = 'STOPPED'));
    await Promise.all(steps.map((step, at) => this.repeat(step, scenario.steps[at], stop.signal)));
    if (!stop.signal.aborted) scenario.state = 'DONE';
  }

  /** Repeats a step, counted from the start: what is late is caught up with, and the rate holds on average. */
  private async repeat(step: ScenarioStep, view: StepView | undefined, signal: AbortSignal): Promise<void> {
    const { times = 1, everyMs = 0, afterMs = 0 } = step;
    const startedAt = performance.now() + afterMs;
    for (let n = 1; n <= times && view; n++) {
      const wait = startedAt + (n - 1) * everyMs - performance.now();
      if (wait > 0) await delay(wait, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      await this.once(step, n, view);
    }
  }

  private async once({ action, phone, body }: ScenarioStep, n: number, view: StepView): Promise<void> {
    const act = this.actions[action] as (phone: string, body: object) => unknown;
    try {
      await act(phone, readBody(action, numbered(body, n)));
      view.done++;
    } catch (error) {
      view.failed++;
      view.lastError = (error as Error).message;
    }
  }
}
