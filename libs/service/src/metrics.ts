/** Names of one series of a figure, and what they say. */
type Labels = Record<string, string>;

/** A figure of this process, for whoever watches the installation. */
interface Metric {
  type: 'counter' | 'gauge';
  help: string;
  /** Its values, by their labels as they are written. */
  values: Map<string, number>;
}

const metrics = new Map<string, Metric>();

/** Makes a figure that only grows; its name ends in `_total`. Whoever gives it labels bounds how many there are. */
export function counter(name: string, help: string): { add(labels?: Labels): void } {
  const { values } = register(name, 'counter', help);
  return {
    add: (labels = {}) => {
      const key = written(labels);
      values.set(key, (values.get(key) ?? 0) + 1);
    },
  };
}

/** Makes a figure that goes up and down. */
export function gauge(name: string, help: string): { set(value: number): void } {
  const { values } = register(name, 'gauge', help);
  return { set: (value) => void values.set('', value) };
}

/** Writes all figures in the text form of Prometheus. */
export function metricsText(): string {
  return [...metrics]
    .map(([name, { type, help, values }]) => {
      const lines = values.size > 0 ? [...values] : [['', 0] as const];
      return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`]
        .concat(lines.map(([labels, value]) => `${name}${labels} ${value}`))
        .map((line) => `${line}\n`)
        .join('');
    })
    .join('');
}

function register(name: string, type: Metric['type'], help: string): Metric {
  const metric: Metric = { type, help, values: new Map() };
  metrics.set(name, metric);
  return metric;
}

function written(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`,
  );
  return pairs.length > 0 ? `{${pairs.join(',')}}` : '';
}
