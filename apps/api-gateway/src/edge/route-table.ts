/** This class knows the paths that exist, with their methods, so that a wrong method differs from a wrong path. */
export class RouteTable {
  private readonly routes = new Map<string, { pattern: RegExp; methods: Set<string> }>();

  add(methods: readonly string[], url: string): void {
    const route = this.routes.get(url) ?? { pattern: patternOf(url), methods: new Set() };
    for (const method of methods) route.methods.add(method);
    this.routes.set(url, route);
  }

  /** Methods of the path of a URL; empty when there is no such path. */
  methodsOf(url: string): string[] {
    const [path = ''] = url.split('?');
    const routes = [...this.routes.values()].filter(({ pattern }) => pattern.test(path));
    return [...new Set(routes.flatMap(({ methods }) => [...methods]))].sort();
  }
}

function patternOf(url: string): RegExp {
  const segments = url
    .split('/')
    .map((part) => (part.startsWith(':') ? '[^/]+' : part.replaceAll('.', '\\.')));
  return new RegExp(`^${segments.join('/')}$`);
}
