import { type DynamicModule, Module } from '@nestjs/common';
import { AccountsController } from './control/accounts.controller.js';
import { AccountsService } from './control/accounts.service.js';
import { ContactsController } from './control/contacts.controller.js';
import { ContactsService } from './control/contacts.service.js';
import { FaultsController } from './control/faults.controller.js';
import { FaultsService } from './control/faults.service.js';
import { GroupsController } from './control/groups.controller.js';
import { MEDIA_AUTHORITY, PlatformController } from './control/platform.controller.js';
import { PhoneWritingController } from './control/phone-writing.controller.js';
import { RestrictionsController } from './control/restrictions.controller.js';
import { SettingsController } from './control/settings.controller.js';
import { WireController } from './control/wire.controller.js';
import { WireService } from './control/wire.service.js';
import { PresenceController } from './control/presence.controller.js';
import { ScenariosController } from './control/scenarios.controller.js';
import { ScenariosService } from './control/scenarios.service.js';
import { Platform } from './platform.js';

@Module({
  controllers: [
    AccountsController,
    ContactsController,
    FaultsController,
    GroupsController,
    PhoneWritingController,
    PlatformController,
    PresenceController,
    RestrictionsController,
    ScenariosController,
    SettingsController,
    WireController,
  ],
  providers: [AccountsService, ContactsService, FaultsService, ScenariosService, WireService],
})
export class AppModule {}

/** The control API of one platform. */
export const appModule = (platform: Platform, ca: string): DynamicModule => ({
  module: AppModule,
  providers: [
    { provide: Platform, useValue: platform },
    { provide: MEDIA_AUTHORITY, useValue: ca },
  ],
});
