/** When something of an endpoint is due, in domain time. */
export interface Appointment {
  endpointId: string;
  tenantId: string;
  partition: number;
  dueAtMs: number;
}

/**
 * One appointment per endpoint, its earliest: when it comes, whatever is due is loaded from the database. Memory follows
 * the number of endpoints with retries, not the number of retries.
 */
export class Calendar {
  private readonly appointments = new Map<string, Appointment>();

  /** Enters an appointment unless an earlier one stands. */
  add(appointment: Appointment): void {
    const known = this.appointments.get(appointment.endpointId);
    if (!known || appointment.dueAtMs < known.dueAtMs) {
      this.appointments.set(appointment.endpointId, appointment);
    }
  }

  /** Takes out up to `limit` appointments that are due; `now` is the domain time of a tenant. */
  takeDue(now: (tenantId: string) => number, limit: number): Appointment[] {
    const due: Appointment[] = [];
    for (const appointment of this.appointments.values()) {
      if (due.length === limit) break;
      if (appointment.dueAtMs <= now(appointment.tenantId)) due.push(appointment);
    }
    for (const { endpointId } of due) this.appointments.delete(endpointId);
    return due;
  }

  /** Milliseconds until the next appointment; Infinity when there is none. */
  nextIn(now: (tenantId: string) => number): number {
    let nearest = Infinity;
    for (const { dueAtMs, tenantId } of this.appointments.values()) {
      nearest = Math.min(nearest, dueAtMs - now(tenantId));
    }
    return Math.max(0, nearest);
  }

  /** Tenants whose domain time matters at this moment. */
  tenants(): string[] {
    return [...new Set([...this.appointments.values()].map(({ tenantId }) => tenantId))];
  }

  drop(partition: number): void {
    for (const [endpointId, appointment] of this.appointments) {
      if (appointment.partition === partition) this.appointments.delete(endpointId);
    }
  }
}
