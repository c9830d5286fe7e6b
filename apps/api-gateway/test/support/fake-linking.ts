import {
  AnswerPasskey,
  type AnswerPasskeyV1,
  AppError,
  ConfirmPasskey,
  type ConfirmPasskeyV1,
  GetPasskey,
  GiveUpPasskey,
  invalidField,
  type PhoneRequestV1,
  type PasskeyFailure,
  type PasskeyStage,
  type PasskeyView,
  type RequestContract,
  RequestPairingCode,
  type SessionRef,
  type SessionState,
} from '@svc/contracts';

/** Registers an answer to a request. */
type On = <Q extends object, A extends object>(
  contract: RequestContract<Q, A>,
  answer: (request: Q) => A,
) => void;

/** Code that both screens show, as in the examples. */
export const SHOWN_CODE = 'ABCD-2345';

/** Links of sessions by a typed code or with a passkey, as a worker answers about them. */
export class FakeLinking {
  /** Code to type that is shown to whoever asks. */
  typedCode = 'ABCD2345';
  /** Answers of browsers that were handed in, in order. */
  readonly answers: AnswerPasskeyV1[] = [];
  private readonly links = new Map<string, PasskeyView>();
  private readonly ends = new Map<string, PasskeyFailure>();

  /** Brings the link of a session to this stage, of one challenge or another. */
  bring(sessionId: string, stage: PasskeyStage, challenge = 'Y2hhbGxlbmdl'): void {
    this.links.set(sessionId, {
      ...{ stage, options: { challenge, rpId: 'whatsapp.com' } },
      expiresAt: new Date(Date.now() + 60_000).toISOString(),
      code: stage === 'compare' || stage === 'finishing' ? SHOWN_CODE : null,
    });
  }

  /** Ends the link of a session. */
  end(sessionId: string, reason: PasskeyFailure): void {
    this.links.delete(sessionId);
    this.ends.set(sessionId, reason);
  }

  /** Forgets the link of a session, as a worker does that is gone. */
  forget(sessionId: string): void {
    this.links.delete(sessionId);
  }

  /** Answers as a worker does; `owned` refuses sessions of others. */
  answer(on: On, owned: (ref: SessionRef) => SessionState): void {
    const of = (ref: SessionRef): PasskeyView => {
      owned(ref);
      return this.linkOf(ref.sessionId);
    };
    on(RequestPairingCode, (request: PhoneRequestV1) => {
      if (owned(request).phone !== null) throw new AppError('ALREADY_LINKED');
      return { code: this.typedCode, expiresAt: new Date(Date.now() + 20_000).toISOString() };
    });
    on(GetPasskey, of);
    on(AnswerPasskey, (request: AnswerPasskeyV1) => {
      assertStage(of(request), 'challenge');
      this.answers.push(request);
      this.bring(request.sessionId, 'sent');
      return of(request);
    });
    on(ConfirmPasskey, ({ code, ...ref }: ConfirmPasskeyV1) => {
      assertStage(of(ref), 'compare');
      if (code !== SHOWN_CODE) throw invalidField('code', 'code must be the code that is shown');
      this.bring(ref.sessionId, 'finishing');
      return of(ref);
    });
    on(GiveUpPasskey, (ref: SessionRef) => {
      of(ref);
      this.end(ref.sessionId, 'GIVEN_UP');
      return {};
    });
  }

  private linkOf(sessionId: string): PasskeyView {
    const link = this.links.get(sessionId);
    if (link) return link;
    const reason = this.ends.get(sessionId);
    throw reason ? new AppError('PASSKEY_ENDED', undefined, { reason }) : new AppError('PASSKEY_NOT_FOUND');
  }
}

function assertStage({ stage }: PasskeyView, expected: PasskeyStage): void {
  if (stage !== expected) throw new AppError('PASSKEY_CONFLICT', undefined, { stage });
}
