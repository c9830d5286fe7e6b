import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { log, NestLogger } from '@svc/service';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { v7 as uuidv7 } from 'uuid';
import { appModule } from './app.module.js';
import { addOpenApi } from './http/openapi.js';
import { RefusalFilter, validation } from './http/refusals.js';
import type { SimulatorConfig } from './config.js';
import { mediaCertificates } from './media/certificates.js';
import { BRAINS } from './brains/brains.js';
import { LlmHost } from './llm/llm-host.js';
import { MediaHost } from './media/media-host.js';
import { Authority } from './noise/authority.js';
import { StateFile } from './state/state-file.js';
import { Platform } from './platform.js';
import { Endpoint } from './connections/endpoint.js';

const LARGEST_BODY_BYTES = 16 * 1024 * 1024;

/** A running simulator. */
export interface Simulator {
  /** Address at which clients connect. */
  websocket: string;
  /** Base address of the control API. */
  control: string;
  /** Public key, in hex, that clients have to trust. */
  trustRoot: string;
  /** Host and port of the https host for files. */
  mediaHost: string;
  /** Base address of the stand-in for language models. */
  llm: string;
  /** Certificate, as PEM, that clients have to trust in order to use it. */
  ca: string;
  close(): Promise<void>;
}

export type SimulatorOptions = Pick<
  SimulatorConfig,
  | 'host'
  | 'port'
  | 'controlPort'
  | 'mediaPort'
  | 'llmPort'
  | 'caFile'
  | 'trustRootFile'
  | 'seed'
  | 'stateFile'
>;

/** Starts the simulator; when this resolves, all four ports can be used. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const authority = new Authority(options.seed ?? randomUUID());
  const certificates = mediaCertificates((label) => authority.secret(label), options.host);
  const platform = new Platform(authority);
  const { trustRoot } = authority;
  const state = options.stateFile && new StateFile(options.stateFile, platform.population, trustRoot);
  if (state) state.open();
  for (const person of platform.population.all()) platform.receipts.catchUp(person);
  const endpoint = new Endpoint(authority, platform, platform.upgradeFaults, platform.versions);
  const media = new MediaHost(certificates.server, platform.media, platform.mediaAccess);
  const llmHost = new LlmHost(platform.llmKeys, platform.llmCalls, BRAINS);
  const hostileHosts = { host: options.host, certificate: certificates.server };
  const app = await controlApi(appModule(platform, certificates.authority, hostileHosts));
  const closePorts = async (): Promise<void> => {
    await app.close();
    await endpoint.close();
    await media.close();
    await llmHost.close();
  };
  try {
    const websocket = await endpoint.listen(options.host, options.port);
    const mediaHost = await media.listen(options.host, options.mediaPort);
    platform.media.hostname = mediaHost;
    const llm = await llmHost.listen(options.host, options.llmPort);
    await app.listen(options.controlPort, options.host);
    if (options.caFile) tell(options.caFile, certificates.authority);
    if (options.trustRootFile) tell(options.trustRootFile, `${trustRoot}\n`);
    const control = (await app.getUrl()).replace(/\/$/, '');
    log().info({ websocket, control, mediaHost, llm, trustRoot }, 'simulator is ready');
    const close = async (): Promise<void> => {
      await closePorts();
      if (state) await state.close();
    };
    return { websocket, control, trustRoot, mediaHost, llm, ca: certificates.authority, close };
  } catch (error) {
    await closePorts();
    throw error;
  }
}

/** Writes what clients have to trust, for whoever reads the file. */
function tell(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, text);
}

async function controlApi(module: DynamicModule): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    bodyLimit: LARGEST_BODY_BYTES,
    genReqId: () => uuidv7(),
    requestIdHeader: false,
    forceCloseConnections: true,
  });
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    logger: new NestLogger(),
    abortOnError: false,
  });
  const server = app.getHttpAdapter().getInstance();
  server.addHook('onRequest', async (request, reply) => void reply.header('x-request-id', request.id));
  app.useGlobalFilters(new RefusalFilter());
  app.useGlobalPipes(validation());
  addOpenApi(app);
  return app;
}
