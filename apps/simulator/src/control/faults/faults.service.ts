import { Injectable } from '@nestjs/common';
import { noFaults } from '../../people/faults.js';
import type { Person } from '../../people/person.js';
import { Platform } from '../../platform.js';
import type { SharedFaultsChange, SharedFaultsView } from './shared-fault-bodies.js';
import type { FaultsChange, FaultsView } from './fault-bodies.js';
import { withoutUndefined } from '../../http/without-undefined.js';
import { accountOf } from '../lookups.js';

/** This service makes the platform misbehave, towards one account or towards all. */
@Injectable()
export class FaultsService {
  constructor(private readonly platform: Platform) {}

  get(phone: string): FaultsView {
    return { ...accountOf(this.platform, phone).faults };
  }

  change(phone: string, change: FaultsChange): FaultsView {
    return this.apply(accountOf(this.platform, phone), withoutUndefined(change));
  }

  clear(phone: string): FaultsView {
    return this.apply(accountOf(this.platform, phone), noFaults());
  }

  getShared(): SharedFaultsView {
    const { upgrade, upgradeStatus, count, portClosed } = this.platform.upgradeFaults;
    const { mediaStatus, mediaCount } = this.platform.mediaAccess;
    return { upgrade, upgradeStatus, count, portClosed, mediaStatus, mediaCount };
  }

  async changeShared(change: SharedFaultsChange): Promise<SharedFaultsView> {
    const { mediaStatus, mediaCount, portClosed, ...upgradeFaults } = change;
    Object.assign(this.platform.upgradeFaults, withoutUndefined(upgradeFaults));
    Object.assign(this.platform.mediaAccess, withoutUndefined({ mediaStatus, mediaCount }));
    if (portClosed !== undefined) await this.platform.upgradeFaults.closePort(portClosed);
    return this.getShared();
  }

  async clearShared(): Promise<SharedFaultsView> {
    await this.platform.upgradeFaults.clear();
    this.platform.mediaAccess.clear();
    return this.getShared();
  }

  private apply(person: Person, faults: Partial<FaultsView>): FaultsView {
    const { silent, blackHole } = person.faults;
    Object.assign(person.faults, faults);
    this.platform.population.touch(person);
    this.platform.faultsChanged(person, { silent, blackHole });
    return { ...person.faults };
  }
}
