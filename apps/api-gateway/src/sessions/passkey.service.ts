import { Injectable } from '@nestjs/common';
import {
  AnswerPasskey,
  ConfirmPasskey,
  GetPasskey,
  GiveUpPasskey,
  type PasskeyAssertion,
  type PasskeyView,
} from '@svc/contracts';
import { RpcClient } from '@svc/messaging';

/** Time limit of a call, in ms: the platform is waited for; the worker that waits answers before its end. */
const TIMEOUT_MS = 20_000;

/** This class asks the worker that holds the link of a session for the steps with a passkey: nothing is stored, nothing is tried again. */
@Injectable()
export class PasskeyService {
  constructor(private readonly rpc: RpcClient) {}

  get(tenantId: string, sessionId: string): Promise<PasskeyView> {
    return this.rpc.request(GetPasskey, { tenantId, sessionId }, TIMEOUT_MS);
  }

  answer(tenantId: string, sessionId: string, assertion: PasskeyAssertion): Promise<PasskeyView> {
    return this.rpc.request(AnswerPasskey, { tenantId, sessionId, assertion }, TIMEOUT_MS);
  }

  confirm(tenantId: string, sessionId: string, code: string): Promise<PasskeyView> {
    return this.rpc.request(ConfirmPasskey, { tenantId, sessionId, code }, TIMEOUT_MS);
  }

  async giveUp(tenantId: string, sessionId: string): Promise<void> {
    await this.rpc.request(GiveUpPasskey, { tenantId, sessionId }, TIMEOUT_MS);
  }
}
