import { Injectable } from '@nestjs/common';
import { noFaults } from '../../people/faults.js';
import type { Person } from '../../people/person.js';
import { Platform } from '../../platform.js';
import type { DoorFaultsChange, DoorFaultsView } from './shared-fault-bodies.js';
import type { FaultsChange, FaultsView } from './fault-bodies.js';
import { accountOf, given } from '../lookups.js';

@Injectable()
export class FaultsService {
  constructor(private readonly platform: Platform) {}

  get(phone: string): FaultsView {
    return { ...accountOf(this.platform, phone).faults };
  }

  change(phone: string, change: FaultsChange): FaultsView {
    return this.become(accountOf(this.platform, phone), given(change));
  }

  clear(phone: string): FaultsView {
    return this.become(accountOf(this.platform, phone), noFaults());
  }

  getDoor(): DoorFaultsView {
    const { upgrade, upgradeStatus, count, portClosed } = this.platform.door;
    const { mediaStatus, mediaCount } = this.platform.mediaDoor;
    return { upgrade, upgradeStatus, count, portClosed, mediaStatus, mediaCount };
  }

  async changeDoor(change: DoorFaultsChange): Promise<DoorFaultsView> {
    const { mediaStatus, mediaCount, portClosed, ...door } = change;
    Object.assign(this.platform.door, given(door));
    Object.assign(this.platform.mediaDoor, given({ mediaStatus, mediaCount }));
    if (portClosed !== undefined) await this.platform.door.closePort(portClosed);
    return this.getDoor();
  }

  async clearDoor(): Promise<DoorFaultsView> {
    await this.platform.door.clear();
    this.platform.mediaDoor.clear();
    return this.getDoor();
  }

  private become(person: Person, faults: Partial<FaultsView>): FaultsView {
    const { silent, blackHole } = person.faults;
    Object.assign(person.faults, faults);
    this.platform.population.touch(person);
    this.platform.faultsChanged(person, { silent, blackHole });
    return { ...person.faults };
  }
}
