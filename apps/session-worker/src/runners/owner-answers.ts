import { Injectable } from '@nestjs/common';
import {
  AnswerPasskey,
  type AnswerPasskeyV1,
  AppError,
  type BotMode,
  ConfirmPasskey,
  type ConfirmPasskeyV1,
  type ContactView,
  GetPasskey,
  GiveUpPasskey,
  KeepToMode,
  type KeepToModeV1,
  LookUpContact,
  MarkRead,
  type MarkReadV1,
  type Nothing,
  type PairingCode,
  type PasskeyView,
  type PhoneRequestV1,
  RejectCall,
  type RejectCallV1,
  RequestPairingCode,
  type SessionRef,
  SetTyping,
  type TypingV1,
} from '@svc/contracts';
import { log } from '@svc/service';
import { DataSource } from 'typeorm';
import { messageIdOf } from '../journal/message-id.js';
import { CallNotRingingError } from '../platform/errors.js';
import type { ReceivedMessage } from '../platform/messages.js';
import type { PlatformSocket } from '../platform/port.js';
import { SendingService } from '../sending/sending.service.js';
import type { Passkeys } from './passkeys.js';
import { RunnersService } from './runners.service.js';

type Answer<Q> = (question: Q) => Promise<object>;

/** Answers what only the worker can that holds the session's socket. The rest of the app asks over the `OwnerLine`. */
@Injectable()
export class OwnerAnswers {
  private readonly answers = new Map<string, Answer<never>>([
    [RequestPairingCode.subject, (question) => this.pairingCode(question)],
    [GetPasskey.subject, async (ref: SessionRef) => this.passkeysOf(ref).view()],
    [AnswerPasskey.subject, (question) => this.answerPasskey(question)],
    [ConfirmPasskey.subject, (question) => this.confirmPasskey(question)],
    [GiveUpPasskey.subject, (question) => this.giveUpPasskey(question)],
    [LookUpContact.subject, (question) => this.lookUp(question)],
    [MarkRead.subject, (question) => this.markRead(question)],
    [RejectCall.subject, (question) => this.rejectCall(question)],
    [SetTyping.subject, (question) => this.typing(question)],
    [KeepToMode.subject, (question) => this.keepToMode(question)],
  ]);

  constructor(
    private readonly dataSource: DataSource,
    private readonly runners: RunnersService,
    private readonly sending: SendingService,
  ) {}

  /** @throws AppError whatever goes wrong. */
  async answer(verb: string, question: unknown): Promise<object> {
    const { sessionId } = question as SessionRef;
    const socket = this.runners.of(sessionId)?.connected;
    try {
      const answer = this.answers.get(verb);
      if (!answer) throw new Error(`Nobody answers ${verb}.`);
      return await answer(question as never);
    } catch (error) {
      if (error instanceof AppError) throw error;
      // The session was disconnected, or got another proxy, while it asked: the platform could not answer any more.
      if (socket && this.runners.of(sessionId)?.connected !== socket)
        throw new AppError('SESSION_NOT_CONNECTED', undefined, { sessionId }, { cause: error });
      log().warn({ verb, sessionId, err: error }, 'platform did not answer');
      throw new AppError('PLATFORM_UNAVAILABLE', undefined, {}, { cause: error });
    }
  }

  /** Gets a code to type; the wish to be connected is in the row already. */
  private async pairingCode({ sessionId, phone }: PhoneRequestV1): Promise<PairingCode> {
    await this.runners.reconcile(sessionId);
    const runner = this.runners.of(sessionId);
    if (!runner) throw new Error('The session has no runner.');
    return runner.pairingCode(phone);
  }

  private answerPasskey({ assertion, ...ref }: AnswerPasskeyV1): Promise<PasskeyView> {
    return this.passkeysOf(ref).answer(assertion);
  }

  private confirmPasskey({ code, ...ref }: ConfirmPasskeyV1): Promise<PasskeyView> {
    return this.passkeysOf(ref).confirm(code);
  }

  private async giveUpPasskey(ref: SessionRef): Promise<Nothing> {
    await this.passkeysOf(ref).giveUp();
    return {};
  }

  private passkeysOf({ sessionId }: SessionRef): Passkeys {
    const runner = this.runners.of(sessionId);
    if (!runner) throw new AppError('PASSKEY_NOT_FOUND');
    return runner.passkeys;
  }

  private async lookUp({ sessionId, phone }: PhoneRequestV1): Promise<ContactView> {
    const address = await this.socketOf(sessionId).lookUp(phone);
    return { phone: `+${phone}`, exists: address !== null, address };
  }

  private async markRead({ sessionId, messages }: MarkReadV1): Promise<Nothing> {
    const socket = this.socketOf(sessionId);
    const direct = await this.journaled(sessionId, await candidates(socket, messages));
    const found = new Map(direct.map((one) => [messageIdOf(sessionId, one.sender, one.keyId), one]));
    const open = messages.filter(({ messageId }) => !found.has(messageId));
    for (const one of open.length > 0 ? await this.journaledInGroups(sessionId, open) : []) {
      found.set(messageIdOf(sessionId, one.sender, one.keyId), one);
    }
    const read = messages.flatMap(({ messageId }) => found.get(messageId) ?? []);
    const messageIds = messages.map(({ messageId }) => messageId).filter((id) => !found.has(id));
    if (messageIds.length > 0) throw new AppError('MESSAGE_NOT_FOUND', undefined, { messageIds });
    await socket.markRead(read);
    return {};
  }

  private async typing({ sessionId, to, state, onlyInMode }: TypingV1): Promise<Nothing> {
    const isWanted = async (): Promise<boolean> =>
      !onlyInMode || (await this.modeOf(sessionId)) === onlyInMode;
    await this.socketOf(sessionId).typing(to, state, isWanted);
    return {};
  }

  private async modeOf(sessionId: string): Promise<BotMode | undefined> {
    const [row] = await this.dataSource.query<{ mode: BotMode }[]>(
      'SELECT bot_mode AS mode FROM session WHERE id = $1',
      [sessionId],
    );
    return row?.mode;
  }

  private async rejectCall({ sessionId, callId }: RejectCallV1): Promise<Nothing> {
    try {
      await this.socketOf(sessionId).rejectCall(callId);
    } catch (error) {
      if (!(error instanceof CallNotRingingError)) throw error;
      throw new AppError('CALL_NOT_RINGING', undefined, { callId }, { cause: error });
    }
    return {};
  }

  /** Without a sender nothing is handed over, and the next one claims by the mode of then. */
  private async keepToMode({ sessionId, botMode }: KeepToModeV1): Promise<Nothing> {
    await this.sending.senders.get(sessionId)?.keepTo(botMode);
    return {};
  }

  private socketOf(sessionId: string): PlatformSocket {
    const socket = this.runners.of(sessionId)?.connected;
    if (!socket) throw new AppError('SESSION_NOT_CONNECTED', undefined, { sessionId });
    return socket;
  }

  /** Finds messages in the journal, which knows under which of its addresses a contact wrote. */
  private async journaled(sessionId: string, messages: ReceivedMessage[]): Promise<ReceivedMessage[]> {
    return this.dataSource.query<ReceivedMessage[]>(
      `SELECT i.sender, i.key_id AS "keyId" FROM unnest($2::text[], $3::text[]) AS q (sender, key_id)
       JOIN inbound_message i ON i.session_id = $1 AND i.sender = q.sender AND i.key_id = q.key_id`,
      [sessionId, messages.map(({ sender }) => sender), messages.map(({ keyId }) => keyId)],
    );
  }

  /** Finds messages of groups: only the journal knows the group of a message, and its id says whether it is the one. */
  private async journaledInGroups(
    sessionId: string,
    messages: MarkReadV1['messages'],
  ): Promise<ReceivedMessage[]> {
    return this.dataSource.query<ReceivedMessage[]>(
      `SELECT sender, key_id AS "keyId" FROM inbound_message
       WHERE session_id = $1 AND key_id = ANY($2::text[]) AND sender LIKE '%|%'`,
      [sessionId, messages.map(({ keyId }) => keyId)],
    );
  }
}

async function candidates(
  socket: PlatformSocket,
  messages: MarkReadV1['messages'],
): Promise<ReceivedMessage[]> {
  const contacts = [...new Set(messages.map(({ contact }) => contact))];
  const entries = await Promise.all(
    contacts.map(async (one) => [one, await socket.addressesOf(one)] as const),
  );
  const addresses = new Map(entries);
  return messages.flatMap(({ contact, keyId }) =>
    (addresses.get(contact) ?? []).map((sender) => ({ sender, keyId })),
  );
}
