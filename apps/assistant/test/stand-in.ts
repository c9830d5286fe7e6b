import { fileURLToPath } from 'node:url';
import { type ServiceProcess, startProcess } from '@svc/testing';

const SIMULATOR = fileURLToPath(new URL('../../simulator/dist/bundle/main.js', import.meta.url));

/** Message of a question, as the stand-in got it. */
interface AskedMessage {
  role: string;
  content: string;
}

/** The stand-in for language models: the simulator as a process of its own, driven over its control API. */
export class StandIn {
  private constructor(
    private readonly process: ServiceProcess,
    /** Base address of its API. */
    readonly url: string,
    private readonly control: string,
  ) {}

  static async start(): Promise<StandIn> {
    const process = await startProcess(SIMULATOR, {
      ...{ SIMULATOR_PORT: '0', SIMULATOR_CONTROL_PORT: '0', SIMULATOR_LLM_PORT: '0' },
    });
    const { llm, control } = process.ready as Record<string, string>;
    return new StandIn(process, llm as string, control as string);
  }

  /** Says how a key is answered. */
  async rules(key: string, rules: object[]): Promise<void> {
    await this.call('PUT', `/llm/keys/${key}/rules`, { rules });
  }

  /** Has a key obey whatever anybody writes, as no model should. */
  async obey(key: string): Promise<void> {
    await this.call('PUT', `/llm/keys/${key}/rules`, { rules: [], obedient: true });
  }

  /** Lists the questions of a key, oldest first. */
  async calls(key: string): Promise<{ messages: AskedMessage[]; [field: string]: unknown }[]> {
    const page = await this.call<{ items: { asked: { messages: AskedMessage[] } }[] }>(
      'GET',
      `/llm/keys/${key}/calls`,
    );
    return page.items.map(({ asked }) => ({ ...asked }));
  }

  async stop(): Promise<void> {
    await this.process.stop();
  }

  private async call<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`${this.control}${path}`, {
      method,
      ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }
}
