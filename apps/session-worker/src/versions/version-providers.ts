import type { Provider } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { WorkerConfig } from '../config.js';
import { Platform } from '../platform/port.js';
import { PlatformVersions } from './platform-versions.js';
import { SourceReader } from './source-reader.js';
import { pagesOf } from './version-sources.js';
import { VersionStore } from './version-store.js';
import { VersionsService } from './versions.service.js';

/** Makes what a worker knows of the platform's versions. */
export const versionProviders: Provider[] = [
  {
    provide: VersionStore,
    useFactory: (dataSource: DataSource, platform: Platform, { platformVersion }: WorkerConfig) =>
      new VersionStore(
        dataSource,
        platform.revision,
        platformVersion === 'auto' ? null : Number(platformVersion),
      ),
    inject: [DataSource, Platform, WorkerConfig],
  },
  {
    provide: PlatformVersions,
    useFactory: (store: VersionStore, { platformVersionSources, platformUrl }: WorkerConfig) =>
      new PlatformVersions(store, new SourceReader(store, platformVersionSources ?? pagesOf(platformUrl))),
    inject: [VersionStore, WorkerConfig],
  },
  VersionsService,
];
