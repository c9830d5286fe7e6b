import { Injectable } from '@nestjs/common';
import { AppError } from '@svc/contracts';
import { GatewayConfig } from '../config.js';

const TIMEOUT_MS = 10_000;

/** What the simulator refused, in its own words. */
export class SimulatorRefusal extends Error {
  override readonly name = 'SimulatorRefusal';

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** The control API of the simulator that is the platform of sandbox sessions. */
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
    const answer = (await response.json().catch(() => ({}))) as { code?: string; message?: string };
    if (response.ok) return answer as T;
    if (response.status >= 500) throw new AppError('SANDBOX_UNAVAILABLE');
    throw new SimulatorRefusal(response.status, answer.code ?? '', answer.message ?? '');
  }
}
