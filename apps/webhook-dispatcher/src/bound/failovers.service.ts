import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { type AppError, GetSession, SetBotMode } from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { log, PeriodicTasks } from '@svc/service';
import { DataSource } from 'typeorm';
import { BACK_SQL, CLAIM_SQL, type DueFailover, GIVE_UP_SQL, OVER_SQL } from './failover.js';

const SWEEP_MS = 1_000;

/**
 * This service has a session answered by its assistant while its endpoint is paused or silent for as long as the tenant has said, and by its
 * own bot again after the next 2xx. It only asks for another mode: the owner of the session changes it, under the version that was read, so
 * that what the tenant asks for meanwhile wins.
 */
@Injectable()
export class FailoversService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly rpc: RpcClient,
    tasks: PeriodicTasks,
  ) {
    tasks.add('failovers', SWEEP_MS, () => this.sweep());
  }

  /** Takes the steps that are due, one of each endpoint. */
  async sweep(): Promise<void> {
    // TypeORM answers UPDATE … RETURNING with [rows, count].
    const [due] = await this.dataSource.query<[DueFailover[], number]>(CLAIM_SQL);
    await Promise.all(due.map((one) => this.carryOut(one)));
  }

  private async carryOut(due: DueFailover): Promise<void> {
    const { endpointId, sessionId, step } = due;
    try {
      await (step === 'WELL_AGAIN' ? this.back(due) : this.over(due));
    } catch (error) {
      if ((error as AppError).code === 'SESSION_NOT_FOUND') return this.note(GIVE_UP_SQL, endpointId, step);
      log().warn({ sessionId, endpointId, err: error }, 'a fail-over goes on later');
    }
  }

  private async over({ endpointId, tenantId, sessionId, step }: DueFailover): Promise<void> {
    const ref = { tenantId, sessionId };
    const { session, modeVersion: ifVersion = 0 } = await this.rpc.request(GetSession, ref);
    // A worker of an earlier release would forget the reason, and so the way back.
    if (session.botModeReason === undefined) return;
    const change = { ...ref, botMode: 'MANAGED', ifVersion, reason: 'FAILOVER' } as const;
    const now =
      session.botMode === 'EXTERNAL' ? (await this.rpc.request(SetBotMode, change)).session : session;
    if (now.botModeReason === 'FAILOVER') {
      await this.note(OVER_SQL, endpointId);
      log().info({ sessionId, endpointId }, 'a session has failed over');
    } else if (now.botMode === 'MANAGED') await this.note(GIVE_UP_SQL, endpointId, step);
  }

  private async back({ endpointId, tenantId, sessionId }: DueFailover): Promise<void> {
    const ref = { tenantId, sessionId };
    const { session, modeVersion: ifVersion = 0 } = await this.rpc.request(GetSession, ref);
    if (session.botModeReason === 'FAILOVER')
      await this.rpc.request(SetBotMode, { ...ref, botMode: 'EXTERNAL', ifVersion, reason: 'FAILBACK' });
    await this.note(BACK_SQL, endpointId);
    log().info({ sessionId, endpointId }, 'a session is back from its fail-over');
  }

  private async note(sql: string, ...parameters: unknown[]): Promise<void> {
    await this.dataSource.query(sql, parameters);
  }
}
