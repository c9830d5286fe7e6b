import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { ServerCertificate } from '@svc/certificates';
import { canBehave } from '../../hostile-hosts/behaviours.js';
import { HostileHost } from '../../hostile-hosts/hostile-host.js';
import { Refusal } from '../../http/refusal.js';
import {
  type HostileHostView,
  type StartHostileHost,
  USUAL_BYTES,
  USUAL_SECONDS,
} from './hostile-host-bodies.js';

const MOST_HOSTS = 100;

/** Names where hostile hosts listen, and what those with TLS show. */
export const HOSTILE_HOST_PLACE = Symbol('place of hostile hosts');
export interface HostileHostPlace {
  host: string;
  certificate: ServerCertificate;
}

/** This service starts and stops hosts that mean harm to those who connect to them. */
@Injectable()
export class HostileHostsService implements OnModuleDestroy {
  private readonly hosts = new Map<string, HostileHost>();

  constructor(@Inject(HOSTILE_HOST_PLACE) private readonly place: HostileHostPlace) {}

  onModuleDestroy(): void {
    this.stopAll();
  }

  async start(body: StartHostileHost): Promise<HostileHostView> {
    const { kind, behaviour, mostBytes = USUAL_BYTES, mostSeconds = USUAL_SECONDS } = body;
    if (!canBehave(kind, behaviour)) {
      const words = `behaviour must be one of a proxy: ${kind} keeps no files`;
      throw new Refusal(400, 'VALIDATION_FAILED', words, { fields: { behaviour: [words] } });
    }
    if (this.hosts.size >= MOST_HOSTS)
      throw new Refusal(409, 'TOO_MANY_HOSTS', `there are ${MOST_HOSTS} already: stop some`);
    const host = new HostileHost({ kind, behaviour, mostBytes, mostSeconds }, this.place.certificate);
    this.hosts.set(host.id, host);
    await host.listen(this.place.host);
    return viewOf(host);
  }

  list(): HostileHostView[] {
    return [...this.hosts.values()].map(viewOf);
  }

  get(id: string): HostileHostView {
    return viewOf(this.find(id));
  }

  /** Stops a host and forgets it. */
  stop(id: string): HostileHostView {
    const host = this.find(id);
    const view = viewOf(host);
    host.stop();
    this.hosts.delete(id);
    return { ...view, state: 'ENDED', open: 0 };
  }

  stopAll(): void {
    for (const id of this.hosts.keys()) this.stop(id);
  }

  private find(id: string): HostileHost {
    const host = this.hosts.get(id);
    if (host) return host;
    throw new Refusal(404, 'HOST_NOT_FOUND', `there is no hostile host ${id}`);
  }
}

function viewOf(host: HostileHost): HostileHostView {
  const { id, options, url, state, opened, open, mostOpen, bytesSent } = host;
  const { kind, behaviour } = options;
  return { id, kind, behaviour, url, state, opened, open, mostOpen, bytesSent };
}
