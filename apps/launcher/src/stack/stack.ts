import { join } from 'node:path';
import type { NatsAccess } from '@svc/messaging';
import { type Child, runToEnd, startChild } from '../processes/child.js';
import { type LauncherConfig, ROOT } from '../config.js';
import {
  gatewayUrl,
  migrationEnvironment,
  serviceEnvironment,
  serviceVariables,
  simulatorEnvironment,
  type StackAddresses,
  type Variables,
} from '../services/environment.js';
import { natsAccessOf } from '../services/nats-access.js';
import { LogFile } from '../state/log-file.js';
import { say, step } from '../screen.js';
import { freePort } from '../processes/ports.js';
import { loadSecrets, natsPassword, OPERATOR, OWNER, type Secrets } from '../state/secrets.js';
import { embeddedNats, embeddedPostgres } from './servers.js';
import { type Runtime, runtimeOf } from '../services/runtime.js';
import {
  GATEWAY,
  isThere,
  processNames,
  type ProgramRow,
  programOf,
  SERVICES,
  type ServiceRow,
  SIMULATOR_ROW,
} from '../services/services.js';
import { rootOf } from '../state/roots.js';
import { removeStackFile, type StackDescription, writeStackFile } from '../state/stack-file.js';
import { type Launch, type Listener, type Running, Supervised } from '../processes/supervised.js';

/** Error of a start that the person stopped before it was complete. */
export class StoppedError extends Error {}

/** Services without which there is no tenant: who it is, and what it may use. */
const TENANT_KEEPERS = [GATEWAY, 'billing'];

/** The addresses of the platform, ours or another one. */
type Platform = StackDescription['platform'];

/** A part of the stack, whatever kind of program it is. */
type Part = Pick<Supervised<Running>, 'name' | 'pid' | 'stopOrder' | 'stop'>;

/** Stack of all programs that run: starts them in order, keeps `stack.json` true, stops them in order. */
export class Stack {
  private readonly parts: Part[] = [];
  private readonly rows = SERVICES.filter(({ name }) => isThere(name));
  private readonly secrets: Secrets;
  private readonly listener: Listener;
  private readonly stopping = new AbortController();
  /** The description exists once everything is ready. */
  private description: StackDescription | undefined;

  constructor(private readonly config: LauncherConfig) {
    this.secrets = loadSecrets(config.dataDir);
    this.listener = { say: (line) => say(line), onChange: () => this.publish() };
  }

  async start(): Promise<StackDescription> {
    const { dataDir } = this.config;
    this.sayWhatIsMissing();
    const [databaseUrl, natsUrl, platform] = await this.together([
      this.postgres(),
      this.nats(),
      this.platform(),
    ]);
    const gatewayPort = this.config.gatewayPort || (await freePort());
    const addresses = {
      databaseUrl,
      natsUrl,
      platformUrl: platform.websocket,
      platformTrustRoot: platform.trustRoot ?? undefined,
      platformCa: platform.ca ?? undefined,
      gatewayPort,
      ...sandboxOf(platform),
    };
    // The keys are read at each start of a process: whoever changes one in the file ends the processes one after the other.
    const variables = (): Variables => serviceVariables(this.config, loadSecrets(dataDir), addresses);
    await step('database schemas', () =>
      this.together(this.rows.map((row) => this.migrate(row, variables()))),
    );
    const [databases] = await this.together([step('database logins', () => this.databases(databaseUrl))]);
    await this.services((row) => ({
      ...variables(),
      ...this.natsUser(row),
      DATABASE_URL: databases[row.name],
    }));
    const demo = await this.demo(gatewayUrl(gatewayPort), natsUrl, platform.control !== null);
    this.throwIfStopping();
    this.description = {
      gateway: gatewayUrl(gatewayPort),
      operator: [
        process.execPath,
        join(ROOT, 'apps/launcher/dist/main.js'),
        'operator',
        '--data-dir',
        dataDir,
      ],
      platform,
      postgres: databaseUrl,
      nats: natsUrl,
      ...(this.config.natsUrl ? {} : { natsUsers: this.natsUsers() }),
      webhooks: webhookSettings(this.config),
      demo,
      processes: [],
    };
    this.publish();
    return this.description;
  }

  /** Stops all parts, from the customer's door to the servers; safe at any moment, also in the middle of the start. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.description = undefined;
    removeStackFile(this.config.dataDir);
    const orders = [...new Set(this.parts.map(({ stopOrder }) => stopOrder))].sort((a, b) => a - b);
    for (const order of orders) {
      await Promise.all(this.parts.filter((part) => part.stopOrder === order).map((part) => part.stop()));
    }
  }

  /** Ends everything this instant. The servers follow by themselves when this process ends (`setpriv --pdeathsig`). */
  kill(): void {
    removeStackFile(this.config.dataDir);
    for (const { pid, stopOrder } of this.parts) {
      if (pid !== undefined && stopOrder <= SIMULATOR_ROW.stopOrder) killQuietly(pid);
    }
  }

  private sayWhatIsMissing(): void {
    for (const { name } of [...SERVICES, SIMULATOR_ROW])
      if (!isThere(name)) say(`  – ${name.padEnd(26)} apps/${name} is not here: the others start without it`);
  }

  /** Finds or makes the demo tenant, where the services are here that keep tenants. */
  private async demo(
    gateway: string,
    natsUrl: string,
    hasSandbox: boolean,
  ): Promise<StackDescription['demo']> {
    if (!TENANT_KEEPERS.every(isThere)) return null;
    if (this.config.mode === 'production') {
      // Its keys would stand in the log of the container.
      say('  – production has no demo tenant: operator tenants create makes one');
      return null;
    }
    // This is loaded only now: the contracts and Nest take a second, in which the first servers come up.
    return step('demo tenant', async () => {
      const { demoTenant } = await import('./demo-tenant.js');
      return demoTenant({
        ...{ dataDir: this.config.dataDir, nats: this.natsAccess(natsUrl), gateway, hasSandbox },
      });
    });
  }

  private async postgres(): Promise<string> {
    if (this.config.databaseUrl) return this.config.databaseUrl;
    const server = this.add(embeddedPostgres(this.config.dataDir, this.listener));
    return (await step('PostgreSQL', () => server.start())).url;
  }

  /** Gives each service a login of its own; whoever runs the migrations stays the owner. */
  private async databases(ownerUrl: string): Promise<Record<string, string>> {
    // This is loaded only now, while nothing else waits: the client of PostgreSQL takes a part of a second.
    const { serviceDatabases } = await import('../services/logins.js');
    return serviceDatabases(ownerUrl, this.secrets).catch((error: Error) => {
      throw new Error(`The services could not be given logins to the database: ${error.message}`);
    });
  }

  private async services(variablesOf: (row: ServiceRow) => Variables): Promise<void> {
    await this.together(
      this.rows.flatMap((row) =>
        processNames(row, this.config.sessionWorkers).map((name) => {
          const env = (runtime: Runtime): NodeJS.ProcessEnv =>
            serviceEnvironment({ row, name, runtime }, variablesOf(row), this.secrets);
          const part = this.supervise(row, env, name);
          return step(name, () => part.start());
        }),
      ),
    );
  }

  /** Returns what a service shows our own nats-server; somebody else's has its users in the environment. */
  private natsUser({ name }: ServiceRow): Variables {
    if (this.config.natsUrl) return {};
    return { NATS_USER: name, NATS_PASSWORD: natsPassword(this.secrets, name) };
  }

  /** Passwords for tools that are no service. */
  private natsUsers(): Record<string, string> {
    return Object.fromEntries([OPERATOR, OWNER].map((user) => [user, natsPassword(this.secrets, user)]));
  }

  /** Returns what the operator shows the servers: a user of our own nats-server, or what the environment says of somebody else's. */
  private natsAccess(url: string): NatsAccess {
    if (this.config.natsUrl) return natsAccessOf(url, this.config.env);
    return { url, user: OPERATOR, password: natsPassword(this.secrets, OPERATOR) };
  }

  private async nats(): Promise<string> {
    if (this.config.natsUrl) return this.config.natsUrl;
    const server = this.add(embeddedNats(this.config.dataDir, this.secrets, this.listener));
    return (await step('nats-server', () => server.start())).url;
  }

  private async platform(): Promise<Platform> {
    const { platformUrl, platformTrustRoot, platformCa } = this.config;
    if (platformUrl) {
      const trustRoot = platformTrustRoot ?? null;
      return { websocket: platformUrl, control: null, trustRoot, ca: platformCa ?? null, llm: null };
    }
    if (!isThere(SIMULATOR_ROW.name))
      throw new Error(`apps/${SIMULATOR_ROW.name} is not here: PLATFORM_URL says which platform is used.`);
    // The ports are drawn here and not by the system: a restart must find the same ports free again.
    const ports = {
      ...{ websocket: await freePort(), control: await freePort() },
      ...{ media: await freePort(), llm: await freePort() },
    };
    const env = simulatorEnvironment(this.config, this.secrets, ports);
    const { ready } = await step(SIMULATOR_ROW.name, () => this.supervise(SIMULATOR_ROW, () => env).start());
    const { websocket, control, trustRoot, llm } = ready as Record<string, string>;
    if (!websocket || !control || !trustRoot || !llm)
      throw new Error('The simulator does not say where it listens.');
    return { websocket, control, trustRoot, ca: String(env['SIMULATOR_CA_FILE']), llm };
  }

  private async migrate(row: ServiceRow, variables: Variables): Promise<void> {
    const log = new LogFile(this.config.dataDir, `${row.name}-migrations`);
    const program = programOf(row.name, 'migrate', rootOf(this.config.dataDir, row.name));
    const plan = { program, env: migrationEnvironment(variables), log };
    await runToEnd(plan, this.stopping.signal).catch((error: Error) => {
      throw new Error(`The schema of ${row.name} could not be brought up to date: ${error.message}`);
    });
  }

  /** Makes a service as a child process that is started again when it dies; it is not started yet. */
  private supervise(
    row: ProgramRow,
    env: (runtime: Runtime) => NodeJS.ProcessEnv,
    name = row.name,
  ): Supervised<Child> {
    const { dataDir } = this.config;
    const log = new LogFile(dataDir, name);
    const launch: Launch<Child> = (_previous, aborted) => {
      const root = rootOf(dataDir, name);
      const runtime = runtimeOf(row.name, root);
      const program = programOf(row.name, 'main', root);
      return startChild({ program, log, runtime, env: env(runtime) }, aborted);
    };
    return this.add(new Supervised(name, row.stopOrder, launch, this.listener));
  }

  private add<T extends Running>(part: Supervised<T>): Supervised<T> {
    this.throwIfStopping();
    this.parts.push(part);
    return part;
  }

  /** Waits for all of them even if one fails, so that nothing is still coming up when the failure is dealt with. */
  private async together<T extends readonly unknown[]>(work: { [K in keyof T]: Promise<T[K]> }): Promise<T> {
    const results = await Promise.allSettled(work);
    this.throwIfStopping();
    for (const result of results) if (result.status === 'rejected') throw result.reason;
    return results.map((result) => (result as PromiseFulfilledResult<unknown>).value) as unknown as T;
  }

  private throwIfStopping(): void {
    if (this.stopping.signal.aborted) throw new StoppedError('Stopped before it was ready.');
  }

  private publish(): void {
    if (!this.description) return;
    this.description.processes = this.parts.flatMap(({ name, pid }) =>
      pid === undefined ? [] : [{ name, pid }],
    );
    writeStackFile(this.config.dataDir, this.description);
  }
}

/** The simulator is the platform of both, of live sessions and of the sandbox. */
function sandboxOf({ websocket, control, trustRoot, llm }: Platform): Pick<StackAddresses, 'sandbox'> {
  if (!control || !trustRoot || !llm) return {};
  return {
    sandbox: {
      SANDBOX_PLATFORM_URL: websocket,
      SANDBOX_PLATFORM_TRUST_ROOT: trustRoot,
      SANDBOX_CONTROL_URL: control,
      SANDBOX_LLM_URL: llm,
    },
  };
}

function webhookSettings({ webhooks }: LauncherConfig): StackDescription['webhooks'] {
  return {
    delaysMs: webhooks.delays.split(',').map(Number),
    timeoutMs: Number(webhooks.timeout),
    allowedOrigins: webhooks.origins
      .split(',')
      .map((origin) => origin.trim())
      .filter(Boolean),
  };
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has already gone, which is what was wanted.
  }
}
