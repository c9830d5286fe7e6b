import { setTimeout as delay } from 'node:timers/promises';
import {
  type ArgumentMetadata,
  type DynamicModule,
  Injectable,
  type PipeTransform,
  type Type,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  type CustomStrategy,
  type CustomTransportStrategy,
  type MessageHandler,
  type NestMicroservice,
  ServerNats,
} from '@nestjs/microservices';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type DataClass, parseData } from '@svc/contracts';
import { connectionOptions, JetStreamStrategy } from '@svc/messaging';
import { ConfigError } from '../config/config.js';
import { natsAccess } from '../config/nats-config.js';
import type { ServiceConfig } from '../config/service-config.js';
import { log, NestLogger, setUpLogger, silenceConsole } from '../logging/logger.js';
import { HttpErrorFilter, RpcErrorFilter } from './error-filters.js';
import { OpsServer } from './ops-server.js';
import { requestIdOf } from './request-id.js';
import { VERSION } from './version.js';

/** Time limit for headers and body to come in, in ms: a client that sends byte by byte must not hold a connection for ever. */
const REQUEST_LIMIT_MS = 30_000;

/** Time for the last answers to go out before the connection closes, in ms. */
const GRACE_MS = 500;
/** Longest wait for the last requests to be answered, in ms: nobody waits longer for an answer (`RpcClient`). */
const LAST_ANSWERS_MS = 5_000;

/** Start options of an app. */
export interface StartOptions {
  /** Name of the app: queue group, logger, connection. */
  name: string;
  module: Type | DynamicModule;
  /** Reads the configuration; a failure stops the process with the list of what is wrong. */
  config: () => ServiceConfig;
  /** The module provides a `JetStreamStrategy`: this app consumes events or commands. */
  jetstream?: boolean;
  /** HTTP port for customers; an app without one has the port for probes alone. */
  http?: () => HttpOptions;
}

/** Options of an HTTP port for customers. */
export interface HttpOptions {
  port: number;
  /** Time for which requests are still answered after SIGTERM, while the service says that it is not ready: whoever sends them looks for another one. */
  preStopMs: number;
  /** Time limit for headers and body of a request to come in, 30 s by default; headers alone never have longer than that. */
  requestLimitMs?: number;
  /** Largest HTTP body in bytes, 1 MiB by default. */
  bodyLimit?: number;
  /** Proxies whose `X-Forwarded-For` is believed; none by default. */
  trustedProxies?: string[];
  /** Callback for last touches before the service listens, e.g. hooks and pages of the HTTP server. */
  customize?: (app: NestFastifyApplication) => Promise<void> | void;
}

/**
 * Starts a service: configuration, logger, requests over NATS, JetStream where asked, HTTP where asked, probes, clean shutdown on SIGTERM. A
 * launcher that started it hears `{type: 'ready', opsPort, port}` by IPC, and its death ends the service.
 */
export async function startService(options: StartOptions): Promise<void> {
  silenceConsole();
  try {
    setUpLogger(options.name, options.config().logLevel);
    process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
    process.on('unhandledRejection', (error) => log().error({ err: error }, 'unhandled rejection'));
    const app = await bootService(options);
    const http = options.http?.();
    endOnSignal(app, http?.preStopMs ?? 0);
    endWithConnections(app);
    announce(options.name, {
      opsPort: app.get(OpsServer, { strict: false }).port,
      ...(http ? { port: Number(new URL(await app.getUrl()).port) } : {}),
    });
  } catch (error) {
    fail(options.name, error);
  }
}

/** Boots a service as the part of `startService` does that leaves the process alone: tests boot a service this way and `close()` it. */
export async function bootService(options: StartOptions): Promise<NestFastifyApplication> {
  const config = options.config();
  const http = options.http?.();
  const app = await createApp(options.module, http);
  await http?.customize?.(app);
  await connectTransports(app, options, config);
  if (http) await app.listen(http.port, config.host);
  await app.get(OpsServer, { strict: false }).listen(config.opsPort, config.host);
  return app;
}

async function createApp(
  module: StartOptions['module'],
  {
    bodyLimit = 1_048_576,
    requestLimitMs = REQUEST_LIMIT_MS,
    trustedProxies = [],
  }: Partial<HttpOptions> = {},
): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    bodyLimit,
    trustProxy: trustedProxies,
    genReqId: requestIdOf,
    requestIdHeader: false,
    return503OnClosing: false, // that answer has neither our error body nor a request id; an inbound request is answered
    requestTimeout: requestLimitMs,
    // Node swaps the two limits where the one for headers, a minute by default, is the longer.
    http: {
      headersTimeout: REQUEST_LIMIT_MS,
      connectionsCheckingInterval: REQUEST_LIMIT_MS / 10,
      requireHostHeader: false, // Node's refusal has neither a body nor a request id; the gateway refuses by itself
    },
  });
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    logger: new NestLogger(),
    abortOnError: false,
  });
  app.useGlobalFilters(new HttpErrorFilter());
  return app;
}

async function connectTransports(
  app: NestFastifyApplication,
  { name, jetstream }: StartOptions,
  config: ServiceConfig,
): Promise<void> {
  const requests = new RequestServer({
    ...connectionOptions(natsAccess(config), `${name}-rpc`),
    queue: name,
    waitOnFirstConnect: true,
    gracefulShutdown: true,
    gracePeriod: GRACE_MS,
  });
  const servers: CustomTransportStrategy[] = [requests];
  if (jetstream) servers.push(app.get(JetStreamStrategy, { strict: false }));
  for (const strategy of servers) {
    const microservice = app.connectMicroservice<CustomStrategy>(
      { strategy },
      { deferInitialization: true }, // otherwise its handlers are built before the filter and the pipe exist
    ) as NestMicroservice;
    microservice.setIsInitHookCalled(true); // the application runs the hooks, once for all
    microservice.useGlobalFilters(new RpcErrorFilter());
    microservice.useGlobalPipes(new ContractPipe());
  }
  await app.init();
  await app.startAllMicroservices();
  // Subscriptions are only on their way: another process may ask as soon as it reads "ready".
  for (const microservice of app.getMicroservices()) {
    await (microservice as NestMicroservice).unwrap<{ flush(): Promise<void> }>().flush();
  }
}

/** Ends the process when it is asked to: no traffic is wanted from then on, what comes all the same is answered for a while, then all is closed in order. */
function endOnSignal(app: NestFastifyApplication, preStopMs: number): void {
  let ending = false;
  const end = async (): Promise<void> => {
    if (ending) return;
    ending = true;
    app.get(OpsServer, { strict: false }).turnAway();
    await delay(preStopMs);
    await app.close();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      end().catch((error: unknown) => {
        log().error({ err: error }, 'the service did not end in order');
        process.exit(1);
      });
    });
}

/**
 * Ends the process when NATS has closed a connection for good, because what the process shows it is not what it wants to see any more: whoever runs the
 * process starts it anew, with what is right by then.
 */
function endWithConnections(app: NestFastifyApplication): void {
  for (const microservice of app.getMicroservices()) {
    const connection = (microservice as NestMicroservice).unwrap<{ closed(): Promise<void | Error> }>();
    void connection.closed().then((error) => {
      if (!error) return;
      log().error({ err: error }, 'NATS refuses this process: it ends');
      process.kill(process.pid, 'SIGTERM');
    });
  }
}

function announce(name: string, ports: { opsPort: number; port?: number }): void {
  log().info({ ...ports, version: VERSION }, `${name} is ready`);
  process.send?.({ type: 'ready', ...ports });
}

function fail(name: string, error: unknown): never {
  // The logger does not exist yet, and a person reads this: plain words on standard error.
  const words =
    error instanceof ConfigError
      ? error.message
      : error instanceof Error
        ? (error.stack ?? error.message)
        : String(error);
  process.stderr.write(`${name} cannot start. ${words}\n`);
  process.exit(1);
}

/** Checks the payload of a message handler against the contract class of its parameter. */
@Injectable()
export class ContractPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (type !== 'body' || metatype === undefined || metatype === Object) return value;
    // JetStream hands over envelopes that its strategy has checked already.
    return value instanceof metatype ? value : parseData(metatype as DataClass, value);
  }
}

/** Connection to NATS, as far as a server of requests uses it. */
interface Requests {
  subscribe(subject: string, options: object): { drain(): Promise<void>; unsubscribe(): void };
}

/**
 * Answers requests over NATS as Nest's server does, but finds a handler by the subject as it is. Nest takes a subject for JSON first, and as it is
 * none makes and throws an error for every request: a twentieth of what `limits` does. At its end it answers what the server has sent already, however
 * long that takes on a busy machine; Nest would drop it, and whoever asked would wait for an answer in vain.
 */
export class RequestServer extends ServerNats {
  private readonly heard: ReturnType<Requests['subscribe']>[] = [];
  private readonly underWay = new Set<Promise<unknown>>();

  override bindEvents(client: Requests): void {
    super.bindEvents({
      subscribe: (subject: string, options: object) => {
        const subscription = client.subscribe(subject, options);
        this.heard.push(subscription);
        return subscription;
      },
    });
  }

  override getHandlerByPattern(subject: string): MessageHandler | null {
    return this.messageHandlers.get(subject) ?? null;
  }

  override async handleMessage(subject: string, message: unknown): Promise<unknown> {
    const work = super.handleMessage(subject, message);
    this.underWay.add(work);
    try {
      return await work;
    } finally {
      this.underWay.delete(work);
    }
  }

  override async close(): Promise<void> {
    // NATS may be away: there is nobody to answer then.
    await Promise.race([this.answerAll(), delay(LAST_ANSWERS_MS, undefined, { ref: false })]);
    await super.close();
  }

  private async answerAll(): Promise<void> {
    await Promise.allSettled(this.heard.map((subscription) => subscription.drain()));
    await Promise.allSettled(this.underWay);
  }
}
