// Rules for the examples, which are values and objects of other projects: they parse, they name fixed versions, and they tell no secret.
import { parseAllDocuments } from 'yaml';

/** Lists what is wrong with deploy/examples. */
export function wrongExamples(files) {
  return Object.entries(files)
    .filter(([path]) => path.startsWith('deploy/examples/') && path.endsWith('.yaml'))
    .flatMap(([path, text]) => [
      ...parseAllDocuments(text).flatMap(({ errors }) =>
        errors.map(({ linePos, message }) => `${path}:${linePos[0].line}: ${message.split('\n')[0]}`),
      ),
      ...text
        .split('\n')
        .flatMap((line, index) =>
          /^\s*(imageName|image|tag): (?!\S*\d+\.\d+)\S/.test(line)
            ? [`${path}:${index + 1}: an image or tag that is not pinned to a version.`]
            : [],
        ),
    ]);
}
