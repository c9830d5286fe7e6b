// Reads manifests, so that each part of an object knows the line that it stands on.
import { isMap, isSeq, LineCounter, parseAllDocuments } from 'yaml';

/** Reads the objects of a file. `at(path)` is `<file>:<line>` of a part, or of what is nearest above it where the part is missing. */
export function readObjects(file, text) {
  const counter = new LineCounter();
  return parseAllDocuments(text, { lineCounter: counter }).map((document) => {
    const [error] = document.errors;
    if (error) throw new Error(`${file}:${error.linePos[0].line}: ${error.message.split('\n')[0]}`);
    const lineOf = (node) => counter.linePos(node.range[0]).line;
    const at = (...path) => `${file}:${lineAt(document.contents, path, lineOf)}`;
    return { file, object: document.toJS(), contents: document.contents, at, lineOf };
  });
}

function lineAt(contents, path, lineOf) {
  let node = contents;
  let line = lineOf(contents);
  for (const step of path) {
    const pair = isMap(node) && node.items.find(({ key }) => key.value === step);
    const next = pair ? pair.value : isSeq(node) ? node.items[step] : undefined;
    if (!next) break;
    line = lineOf(pair ? pair.key : next);
    node = next;
  }
  return line;
}

/** Puts the files of a Kustomize folder together as `kubectl apply -k` does for one that only lists resources. */
export function readFolder(folder, files) {
  const [{ object, at }] = readObjects(`${folder}/kustomization.yaml`, files[`${folder}/kustomization.yaml`]);
  const unknown = Object.keys(object).filter((key) => !['apiVersion', 'kind', 'resources'].includes(key));
  if (unknown.length > 0)
    throw new Error(`${at(unknown[0])}: ${unknown[0]} is more than this check can put together.`);
  return object.resources.flatMap((name, index) => {
    const file = `${folder}/${name}`;
    if (files[file] === undefined) throw new Error(`${at('resources', index)}: ${file} does not exist.`);
    return readObjects(file, files[file]);
  });
}
