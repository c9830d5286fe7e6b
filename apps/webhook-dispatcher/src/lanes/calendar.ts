/** An appointment says when something of an endpoint is due, in domain time. */
export interface Appointment {
  endpointId: string;
  tenantId: string;
  partition: number;
  dueAtMs: number;
}

/**
 * The calendar holds one appointment per endpoint, its earliest: at that time all due deliveries are loaded from the database. Memory
 * follows the number of endpoints with retries, not the number of retries.
 */
export class Calendar {
  private readonly appointments = new Map<string, Appointment>();
  /** Moment of `clock` before which nothing is due: the calendar is asked far more often than something is, and need not look at each. */
  private nextDueAt = Infinity;

  /**
   * @param now the domain time of a tenant
   * @param clock real time in ms, at whose pace domain time goes by
   */
  constructor(
    private readonly now: (tenantId: string) => number,
    private readonly clock: () => number = () => performance.now(),
  ) {}

  /** Enters an appointment unless an earlier one stands. */
  add(appointment: Appointment): void {
    const existing = this.appointments.get(appointment.endpointId);
    if (existing && existing.dueAtMs <= appointment.dueAtMs) return;
    this.appointments.set(appointment.endpointId, appointment);
    this.nextDueAt = Math.min(this.nextDueAt, this.clock() + this.waitOf(appointment));
  }

  /** Takes out up to `limit` appointments that are due. */
  takeDue(limit: number): Appointment[] {
    if (this.clock() < this.nextDueAt) return [];
    const due: Appointment[] = [];
    for (const appointment of this.appointments.values()) {
      if (due.length === limit) break;
      if (this.waitOf(appointment) <= 0) due.push(appointment);
    }
    for (const { endpointId } of due) this.appointments.delete(endpointId);
    this.recompute();
    return due;
  }

  /** Counts the milliseconds until the next appointment, or until it is worth a look; Infinity when there is none. */
  nextIn(): number {
    return Math.max(0, this.nextDueAt - this.clock());
  }

  /** Computes again when the next one is due: the domain time of some tenants may have been moved. */
  recompute(): void {
    let nearest = Infinity;
    for (const appointment of this.appointments.values())
      nearest = Math.min(nearest, this.waitOf(appointment));
    this.nextDueAt = this.clock() + nearest;
  }

  /** Lists the tenants whose domain time matters at this moment. */
  tenants(): string[] {
    return [...new Set([...this.appointments.values()].map(({ tenantId }) => tenantId))];
  }

  drop(partition: number): void {
    for (const [endpointId, appointment] of this.appointments) {
      if (appointment.partition === partition) this.appointments.delete(endpointId);
    }
  }

  private waitOf({ dueAtMs, tenantId }: Appointment): number {
    return dueAtMs - this.now(tenantId);
  }
}
