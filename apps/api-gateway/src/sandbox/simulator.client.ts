import { Injectable } from '@nestjs/common';
import { AppError, type FieldProblem } from '@svc/contracts';
import { GatewayConfig } from '../config.js';

const TIMEOUT_MS = 10_000;

/** Error body of the simulator. */
interface RefusalBody {
  code?: string;
  message?: string;
  meta?: { fields?: Record<string, string[]> };
}

/** A refusal of the simulator, in its own words. */
export class SimulatorRefusal extends Error {
  override readonly name = 'SimulatorRefusal';
  readonly code: string;
  /** Problems of single fields, where the answer names them. */
  readonly fields: FieldProblem[];

  constructor(
    readonly status: number,
    { code, message, meta }: RefusalBody,
  ) {
    super(message);
    this.code = code ?? '';
    this.fields = Object.entries(meta?.fields ?? {}).flatMap(([field, rules]) =>
      rules.map((rule) => ({ field, rule })),
    );
  }
}

/** This client calls the control API of the simulator, which is the platform of sandbox sessions. */
@Injectable()
export class SimulatorClient {
  constructor(private readonly config: GatewayConfig) {}

  /**
   * @throws SimulatorRefusal where it answers that something is wrong with the call
   * @throws AppError `SANDBOX_UNAVAILABLE`
   */
  async call<T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T> {
    const { sandboxControlUrl } = this.config;
    if (!sandboxControlUrl) throw new AppError('SANDBOX_UNAVAILABLE');
    const response = await fetch(`${sandboxControlUrl}${path}`, {
      method,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
    }).catch((cause: unknown) => {
      throw new AppError('SANDBOX_UNAVAILABLE', undefined, {}, { cause });
    });
    const answer = (await response.json().catch(() => ({}))) as RefusalBody;
    if (response.ok) return answer as T;
    if (response.status >= 500) throw new AppError('SANDBOX_UNAVAILABLE');
    throw new SimulatorRefusal(response.status, answer);
  }
}
