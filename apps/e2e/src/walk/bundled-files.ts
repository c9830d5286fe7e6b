/** A file of ours inside a bundle: from here until the next one begins. */
interface Section {
  start: number;
  /** Path of the source file, from the root of the repository; undefined for a foreign package. */
  file: string | undefined;
}

/** The bundler writes the path of each module above its code, from the folder that it was called in: the root, or the app's. */
const PATH_LINE = /^\/\/ (\S+\.[cm]?js)$/gm;

/**
 * Pattern of the text before a function that a contract passes to a decorator: the type of a field, or the condition under which its rules
 * hold.
 */
const DECORATOR_CALL = /\b(?:Type|Transform|ValidateIf)\)?\($/;
const LONGEST_CALL = 80;

/** The files of ours that a bundle is made of, by their places in its text. */
export class BundledFiles {
  private readonly sections: Section[];

  constructor(
    app: string,
    private readonly bundle: string,
  ) {
    this.sections = [...bundle.matchAll(PATH_LINE)].map(({ index, 1: path = '' }) => ({
      start: index,
      file: sourceOf(app, path),
    }));
  }

  /**
   * Says whether a function is the argument of a decorator of the validator: it declares the form of data, and does nothing with a message.
   */
  isDeclaration(offset: number): boolean {
    return DECORATOR_CALL.test(this.bundle.slice(Math.max(0, offset - LONGEST_CALL), offset));
  }

  /** Finds the source file whose code stands at an offset of the bundle; undefined where it is none of ours. */
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

/** Names the source of a file of the bundle: `../../libs/contracts/dist/envelope.js` → `libs/contracts/src/envelope.ts`. */
function sourceOf(app: string, path: string): string | undefined {
  const fromRoot = path.replace(/^(\.\.\/)+/, '').replace(/^dist\//, `apps/${app}/dist/`);
  const [, project, file] = /^((?:apps|libs)\/[^/]+)\/dist\/(.+)\.[cm]?js$/.exec(fromRoot) ?? [];
  return project && file ? `${project}/src/${file}.ts` : undefined;
}
