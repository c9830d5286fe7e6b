import { assistant } from './benches/assistant/assistant.js';
import { accept } from './benches/sending/accept.js';
import { inbound } from './benches/sessions/inbound.js';
import { isolation } from './benches/webhooks/isolation.js';
import { memory } from './benches/sessions/memory.js';
import { pending } from './benches/webhooks/pending.js';
import { reconnect } from './benches/sessions/reconnect.js';
import { reserve } from './benches/sending/reserve.js';
import { send } from './benches/sending/send.js';
import { webhookLatency } from './benches/webhooks/webhook-latency.js';
import { webhooks } from './benches/webhooks/webhooks.js';
import { crashPointsAssistant } from './drills/assistant/crash-points-assistant.js';
import { killAssistant } from './drills/assistant/kill-assistant.js';
import { takeOverAssistant } from './drills/assistant/take-over/take-over-assistant.js';
import { audit } from './drills/audit/audit.js';
import { admission } from './drills/admission.js';
import { crashPoints } from './drills/crash-points.js';
import { deaf } from './drills/deaf/deaf.js';
import { hostileTenant } from './drills/hostile/hostile-tenant.js';
import { fuzz } from './drills/fuzz.js';
import { killAny } from './drills/kill-any.js';
import { killDispatcher } from './drills/webhooks/kill-dispatcher.js';
import { killWorker } from './drills/kill-worker.js';
import { ledger } from './drills/ledger/ledger.js';
import { newStanza } from './drills/new-stanza/new-stanza.js';
import { pausedOwner } from './drills/paused-owner.js';
import { platformDay } from './drills/platform-day/platform-day.js';
import { poison } from './drills/poison/poison.js';
import { restartPostgres } from './drills/restart-postgres.js';
import { revocation } from './drills/revocation.js';
import { rollingDeploy } from './drills/rolling-deploy.js';
import { rotateSecrets } from './drills/rotate-secrets.js';
import { upgrade } from './drills/upgrade/upgrade.js';
import { wipeNats } from './drills/wipe-nats/wipe-nats.js';
import type { Benchmark, NamedRun } from './named-run.js';

/** Drills and benchmarks by name. */
export interface Runs {
  drill: Record<string, NamedRun>;
  bench: Record<string, Benchmark>;
}

/** The table of all drills and benchmarks. */
export const RUNS: Runs = {
  drill: {
    'kill-any': killAny,
    'kill-worker': killWorker,
    'kill-assistant': killAssistant,
    'take-over-assistant': takeOverAssistant,
    'kill-dispatcher': killDispatcher,
    'rolling-deploy': rollingDeploy,
    'rotate-secrets': rotateSecrets,
    upgrade,
    'paused-owner': pausedOwner,
    'platform-day': platformDay,
    'new-stanza': newStanza,
    'wipe-nats': wipeNats,
    poison,
    'hostile-tenant': hostileTenant,
    'restart-postgres': restartPostgres,
    deaf,
    admission,
    ledger,
    audit,
    'crash-points': crashPoints,
    'crash-points-assistant': crashPointsAssistant,
    revocation,
    fuzz,
  },
  bench: {
    ...{ accept, reserve, send, inbound, memory, reconnect },
    webhooks,
    'webhook-latency': webhookLatency,
    isolation,
    pending,
    assistant,
  },
};
