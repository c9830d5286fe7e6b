import { Injectable } from '@nestjs/common';
import { Refusal } from '../../http/refusal.js';
import type { LoggedCall } from '../../llm/call-log.js';
import { LlmKey } from '../../llm/llm-keys.js';
import { Platform } from '../../platform.js';
import type { LlmCallList, LlmCallView, LlmKeyView } from './call-bodies.js';
import type { RulesBody, RulesView } from './rule-bodies.js';

/** This service says how the stand-in for language models answers a key, and shows what it has answered. */
@Injectable()
export class LlmService {
  constructor(private readonly platform: Platform) {}

  list(): LlmKeyView[] {
    return this.platform.llmKeys.all().map(viewOf);
  }

  get(key: string): LlmKeyView {
    return viewOf(this.find(key));
  }

  /** Forgets rules, counts and calls of a key, and shows the counts for the last time. */
  forget(key: string): LlmKeyView {
    const view = this.get(key);
    this.platform.llmKeys.forget(key);
    return view;
  }

  rules(key: string): RulesView {
    const { rules, used, obedient } = this.find(key).rules;
    return { rules, used, obedient };
  }

  setRules(key: string, { rules, obedient = false }: RulesBody): RulesView {
    this.platform.llmKeys.use(key).rules.set(rules, obedient);
    return this.rules(key);
  }

  /** Lists the calls of a key after one of them. @throws Refusal where there is no such call yet */
  calls(key: string, since: number): LlmCallList {
    const known = this.find(key);
    const cursor = known.calls;
    if (since > cursor) {
      const words = 'since must be the cursor of an earlier answer of this run';
      throw new Refusal(400, 'VALIDATION_FAILED', words, { fields: { since: [words] } });
    }
    const { items, lost } = this.platform.llmCalls.after(known, since);
    return { items: items.map(callView), cursor, lost };
  }

  /** Finds a key; one that was never heard of is like one without calls. */
  private find(key: string): LlmKey {
    return this.platform.llmKeys.get(key) ?? new LlmKey(key);
  }
}

const viewOf = ({ key, counts, given }: LlmKey): LlmKeyView => ({ key, ...counts, given });

const callView = ({ kind, asked, number, id, state, ...call }: LoggedCall): LlmCallView => ({
  ...{ number, id, call: kind, state, beganAt: call.beganAt, endedAt: call.endedAt, status: call.status },
  ...{ asked: asked === null ? null : (JSON.parse(asked) as unknown), said: call.said, usage: call.usage },
});
