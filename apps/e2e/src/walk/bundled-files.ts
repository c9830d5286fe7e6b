/** A file of ours inside a bundle: from here until the next one begins. */
interface Section {
  start: number;
  /** Path of the source file, from the root of the repository; undefined for a package of somebody else. */
  file: string | undefined;
}

/** The bundler writes the path of each module above its code, from the folder that it was called in: the root, or the app's. */
const PATH_LINE = /^\/\/ (\S+\.[cm]?js)$/gm;

/** The files of ours that a bundle is made of, by their places in its text. */
export class BundledFiles {
  private readonly sections: Section[];

  constructor(app: string, bundle: string) {
    this.sections = [...bundle.matchAll(PATH_LINE)].map(({ index, 1: path = '' }) => ({
      start: index,
      file: sourceOf(app, path),
    }));
  }

  /** The source file whose code stands at an offset of the bundle; undefined where it is none of ours. */
  fileAt(offset: number): string | undefined {
    let [low, high] = [0, this.sections.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.sections[middle]?.start ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return this.sections[low - 1]?.file;
  }
}

/** `../../libs/contracts/dist/envelope.js` → `libs/contracts/src/envelope.ts`. */
function sourceOf(app: string, path: string): string | undefined {
  const fromRoot = path.replace(/^(\.\.\/)+/, '').replace(/^dist\//, `apps/${app}/dist/`);
  const [, project, file] = /^((?:apps|libs)\/[^/]+)\/dist\/(.+)\.[cm]?js$/.exec(fromRoot) ?? [];
  return project && file ? `${project}/src/${file}.ts` : undefined;
}
