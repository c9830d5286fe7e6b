import { IsString } from 'class-validator';
import { defineNotice } from '../contract.js';
import { Nothing } from '../requests/refs.js';

/** Data of `event-log-grew`. There are hundreds a second, and an id that nobody watches is passed over: they are texts only. */
export class EventLogGrewV1 {
  @IsString({ each: true }) tenantIds: string[];
}

const APP = 'webhook-dispatcher';
/** The event logs of these tenants have grown. */
export const EventLogGrew = defineNotice(APP, 'event-log-grew', EventLogGrewV1);
/** A replay began. */
export const ReplayStarted = defineNotice(APP, 'replay-started', Nothing);
/** A dispatcher gave a partition back: nobody waits for the next renewal to take it. */
export const DispatcherPartitionFreed = defineNotice(APP, 'partition-freed', Nothing);
