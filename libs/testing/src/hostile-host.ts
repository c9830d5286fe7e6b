/** Counts that the simulator keeps of a hostile host. */
export interface HostileHostCounts {
  state: 'RUNNING' | 'ENDED';
  opened: number;
  open: number;
  mostOpen: number;
  bytesSent: number;
}

/** Ended beyond that; less than a machine of tests feels. */
const MOST_BYTES = 20_000_000;

/** A proxy or a file server that means harm, played by a simulator. */
export class HostileHost {
  private constructor(
    private readonly path: string,
    readonly url: string,
  ) {}

  /** @param control address of the simulator's control API. */
  static async start(control: string, kind: string, behaviour: string): Promise<HostileHost> {
    const hosts = `${control}/hostile-hosts`;
    const response = await fetch(hosts, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ kind, behaviour, mostBytes: MOST_BYTES }),
    });
    if (!response.ok) throw new Error(`The simulator answered ${response.status}.`);
    const { id, url } = (await response.json()) as { id: string; url: string };
    return new HostileHost(`${hosts}/${id}`, url);
  }

  async counts(): Promise<HostileHostCounts> {
    return (await (await fetch(this.path)).json()) as HostileHostCounts;
  }

  async stop(): Promise<HostileHostCounts> {
    return (await (await fetch(this.path, { method: 'DELETE' })).json()) as HostileHostCounts;
  }
}
