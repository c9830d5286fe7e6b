/** Constructor of a class that carries class-validator rules. */
export type DataClass<T extends object = object> = new () => T;

/** Publishers of an event, and its part in the public API. */
export interface EventRules<P extends boolean = boolean> {
  /** An endpoint of a customer can subscribe to the event. */
  readonly public: P;
  /** Summary of what has happened: one sentence, which the public description shows of a public event. */
  readonly summary: string;
  /** Only an endpoint that names the event gets it, and none that takes all. */
  readonly onlyNamed?: true;
  /** Apps that own the fact: no other app publishes it. Empty: none does yet. */
  readonly by: readonly string[];
}

/** An event: something that happened. The owner of the fact publishes it; `name` is the customer's webhook name. */
export interface EventContract<
  T extends object = object,
  N extends string = string,
  P extends boolean = boolean,
> extends EventRules<P> {
  readonly kind: 'event';
  readonly name: N;
  readonly version: number;
  readonly data: DataClass<T>;
}

/** A command: something that one partition's owner shall do. */
export interface CommandContract<T extends object = object> {
  readonly kind: 'command';
  readonly name: string;
  readonly version: number;
  readonly data: DataClass<T>;
}

/** A request: any instance of `app` answers it in bounded time. */
export interface RequestContract<Q extends object = object, A extends object = object> {
  readonly kind: 'request';
  readonly app: string;
  /** NATS subject, `rpc.<app>.<verb>`. */
  readonly subject: string;
  readonly request: DataClass<Q>;
  readonly reply: DataClass<A>;
}

/** A notice: `app` sends it to every instance that listens. It is stored nowhere and may be lost: its readers look by themselves, too. */
export interface NoticeContract<T extends object = object> {
  readonly kind: 'notice';
  readonly app: string;
  /** NATS subject, `notice.<app>.<name>`. */
  readonly subject: string;
  readonly data: DataClass<T>;
}

/** Ties an event name and version to its payload class and to its rules: one value, so that they cannot part company. */
export function defineEvent<T extends object, const N extends string, P extends boolean>(
  name: N,
  version: number,
  data: DataClass<T>,
  rules: EventRules<P>,
): EventContract<T, N, P> {
  return { kind: 'event', name, version, data, ...rules };
}

/** Ties a command name and version to its payload class. */
export function defineCommand<T extends object>(
  name: string,
  version: number,
  data: DataClass<T>,
): CommandContract<T> {
  return { kind: 'command', name, version, data };
}

/** Ties a request subject to the classes of the question and of the answer. */
export function defineRequest<Q extends object, A extends object>(
  app: string,
  verb: string,
  request: DataClass<Q>,
  reply: DataClass<A>,
): RequestContract<Q, A> {
  return { kind: 'request', app, subject: `rpc.${app}.${verb}`, request, reply };
}

/** Ties a notice subject to its payload class. */
export function defineNotice<T extends object>(
  app: string,
  name: string,
  data: DataClass<T>,
): NoticeContract<T> {
  return { kind: 'notice', app, subject: `notice.${app}.${name}`, data };
}
