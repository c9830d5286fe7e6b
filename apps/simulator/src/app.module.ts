import { type DynamicModule, Module } from '@nestjs/common';
import { AccountsController } from './control/accounts/accounts.controller.js';
import { AccountsService } from './control/accounts/accounts.service.js';
import { CallsController } from './control/calls/calls.controller.js';
import { ContactsController } from './control/contacts/contacts.controller.js';
import { ContactsService } from './control/contacts/contacts.service.js';
import { FaultsController } from './control/faults/faults.controller.js';
import { FaultsService } from './control/faults/faults.service.js';
import { GroupsController } from './control/groups/groups.controller.js';
import { HostileHostsController } from './control/hostile-hosts/hostile-hosts.controller.js';
import {
  HOSTILE_HOST_PLACE,
  type HostileHostPlace,
  HostileHostsService,
} from './control/hostile-hosts/hostile-hosts.service.js';
import { LinkingController } from './control/linking/linking.controller.js';
import { PasskeyController } from './control/linking/passkey.controller.js';
import { LlmController } from './control/llm/llm.controller.js';
import { LlmService } from './control/llm/llm.service.js';
import { MEDIA_AUTHORITY, PlatformController } from './control/platform/platform.controller.js';
import { PhoneWritingController } from './control/accounts/phone-writing.controller.js';
import { RestrictionsController } from './control/accounts/restrictions.controller.js';
import { SettingsController } from './control/accounts/settings.controller.js';
import { VersionsController } from './control/versions/versions.controller.js';
import { WireController } from './control/wire/wire.controller.js';
import { WireService } from './control/wire/wire.service.js';
import { PresenceController } from './control/contacts/presence.controller.js';
import { ScenariosController } from './control/scenarios/scenarios.controller.js';
import { ScenariosService } from './control/scenarios/scenarios.service.js';
import { PlatformService } from './control/platform/platform.service.js';
import { Platform } from './platform.js';

@Module({
  controllers: [
    AccountsController,
    CallsController,
    ContactsController,
    FaultsController,
    GroupsController,
    HostileHostsController,
    LinkingController,
    LlmController,
    PasskeyController,
    PhoneWritingController,
    PlatformController,
    PresenceController,
    RestrictionsController,
    ScenariosController,
    SettingsController,
    VersionsController,
    WireController,
  ],
  providers: [
    AccountsService,
    ContactsService,
    FaultsService,
    HostileHostsService,
    LlmService,
    PlatformService,
    ScenariosService,
    WireService,
  ],
})
export class AppModule {}

/** Makes the module of the control API of one platform. */
export const appModule = (platform: Platform, ca: string, hostileHosts: HostileHostPlace): DynamicModule => ({
  module: AppModule,
  providers: [
    { provide: Platform, useValue: platform },
    { provide: MEDIA_AUTHORITY, useValue: ca },
    { provide: HOSTILE_HOST_PLACE, useValue: hostileHosts },
  ],
});
