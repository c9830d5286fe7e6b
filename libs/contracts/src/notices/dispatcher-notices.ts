import { IsString } from 'class-validator';
import { defineNotice } from '../contract.js';
import { Nothing } from '../requests/refs.js';

/** Data of `event-log-grew`. There are hundreds a second, so ids are checked as text only: a reader passes over those it does not watch. */
export class EventLogGrewV1 {
  @IsString({ each: true }) tenantIds: string[];
}

const APP = 'webhook-dispatcher';
/** The event logs of these tenants have grown. */
export const EventLogGrew = defineNotice(APP, 'event-log-grew', EventLogGrewV1);
/** A replay began. */
export const ReplayStarted = defineNotice(APP, 'replay-started', Nothing);
/** A dispatcher freed a partition: another one takes it now, and does not wait for its next renewal. */
export const DispatcherPartitionFreed = defineNotice(APP, 'partition-freed', Nothing);
