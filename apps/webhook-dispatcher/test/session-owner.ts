import {
  type BotMode,
  GetSession,
  GetSessionV1,
  type ModeReason,
  parseData,
  type SessionReply,
  SetBotMode,
  SetBotModeV1,
} from '@svc/contracts';
import { Messaging } from '@svc/messaging';

interface Mode {
  botMode: BotMode;
  reason: 'FAILOVER' | null;
  version: number;
}

/** The owner of sessions, played by contract as far as their modes go. A session that nobody has set is `EXTERNAL`. */
export class SessionOwner {
  /** Changes of modes that were asked for and made, in order. */
  readonly changes: { sessionId: string; botMode: BotMode; reason: ModeReason | undefined }[] = [];
  /** Runs after each change, before it is answered. */
  beforeAnswer: () => Promise<void> = () => Promise.resolve();
  private readonly modes = new Map<string, Mode>();

  private constructor(private readonly messaging: Messaging) {
    this.on(GetSession.subject, (data) => this.reply(parseData(GetSessionV1, data).sessionId));
    this.on(SetBotMode.subject, async (data) => {
      const reply = this.change(parseData(SetBotModeV1, data));
      await this.beforeAnswer();
      return reply;
    });
  }

  static async listen(natsUrl: string): Promise<SessionOwner> {
    const messaging = await Messaging.connect({ url: natsUrl, name: 'session-owner' });
    const owner = new SessionOwner(messaging);
    await messaging.line.connection.flush();
    return owner;
  }

  /** Sets a mode as its tenant does. */
  set(sessionId: string, botMode: BotMode): void {
    const mode = this.of(sessionId);
    const version = mode.version + (botMode === 'MANAGED' ? 1 : 0);
    this.modes.set(sessionId, { botMode, reason: null, version });
  }

  /** Lists the changes of a session that were made, oldest first. */
  changesOf(sessionId: string): [BotMode, ModeReason | undefined][] {
    const own = this.changes.filter((change) => change.sessionId === sessionId);
    return own.map(({ botMode, reason }) => [botMode, reason]);
  }

  async stop(): Promise<void> {
    await this.messaging.onApplicationShutdown();
  }

  private change({ sessionId, botMode, reason, ifVersion }: SetBotModeV1): SessionReply {
    const mode = this.of(sessionId);
    const fits = reason === 'FAILOVER' ? mode.botMode === 'EXTERNAL' : mode.reason === 'FAILOVER';
    if (ifVersion !== mode.version || !fits) return this.reply(sessionId);
    this.set(sessionId, botMode);
    if (reason === 'FAILOVER') this.of(sessionId).reason = reason;
    this.changes.push({ sessionId, botMode, reason });
    return this.reply(sessionId);
  }

  private reply(sessionId: string): SessionReply {
    const { botMode, reason: botModeReason, version: modeVersion } = this.of(sessionId);
    const since = '2026-01-31T12:00:00.000Z';
    const times = { statusSince: since, statusUntil: null, createdAt: since };
    const status = { status: 'CONNECTED', statusReason: 'LOGGED_IN', restriction: null } as const;
    const settings = { proxy: null, alwaysOnline: false, rejectCalls: false, callReply: null };
    const session = { id: sessionId, name: 'Support', phone: null, botMode, botModeReason };
    return { session: { ...session, ...status, ...times, ...settings }, modeVersion };
  }

  private of(sessionId: string): Mode {
    const mode = this.modes.get(sessionId) ?? { botMode: 'EXTERNAL', reason: null, version: 0 };
    this.modes.set(sessionId, mode);
    return mode;
  }

  private on(subject: string, answer: (data: unknown) => SessionReply | Promise<SessionReply>): void {
    this.messaging.line.connection.subscribe(subject, {
      callback: (error, message) => {
        if (error) return;
        const { id, data } = message.json<{ id: string; data: unknown }>();
        void Promise.resolve(answer(data)).then((response) =>
          message.respond(JSON.stringify({ id, isDisposed: true, response })),
        );
      },
    });
  }
}
