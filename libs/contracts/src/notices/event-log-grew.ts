import { IsUUID } from 'class-validator';

/** Notice that logs have grown: stored nowhere and lost now and then, so whoever hears it asks by itself, too. */
export class EventLogGrew {
  static readonly subject = 'notice.webhook-dispatcher.event-log-grew';
  @IsUUID(undefined, { each: true }) tenantIds: string[];
}
