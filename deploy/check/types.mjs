// Checks the shape of manifests: each object becomes a literal of TypeScript, and the compiler compares it with the types of Kubernetes.
import { join } from 'node:path';
import ts from 'typescript';
import { isMap, isSeq } from 'yaml';
import { ROOT } from '../source/services.mjs';

const MODULES = {
  v1: 'core/v1',
  'apps/v1': 'apps/v1',
  'autoscaling/v2': 'autoscaling/v2',
  'batch/v1': 'batch/v1',
  'networking.k8s.io/v1': 'networking/v1',
  'policy/v1': 'policy/v1',
};
/** Types that the package has not. */
const OWN = {
  'gateway.networking.k8s.io/v1 HTTPRoute': `{
    apiVersion: string; kind: string; metadata: { name: string };
    spec: {
      parentRefs: { name: string; namespace?: string; sectionName?: string }[];
      hostnames?: string[];
      rules: { backendRefs: { name: string; port: number }[]; timeouts?: { request?: string; backendRequest?: string } }[];
    };
  }`,
};
const SOURCE = join(ROOT, 'deploy/manifests.ts');
const OPTIONS = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  types: [],
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ['lib.es2022.d.ts'],
};

/** Lists what is wrong with the shapes of objects, as `<file>:<line>: <sentence>`. */
export function wrongShapes(objects) {
  const lines = [];
  const places = [];
  const problems = [];
  const write = (text, place) => {
    lines.push(text);
    places.push(place);
  };
  for (const { object, contents, file, at, lineOf } of objects) {
    const type = typeOf(object);
    if (!type) problems.push(`${at('kind')}: no type is known for ${object.apiVersion} ${object.kind}.`);
    else writeLiteral(contents, type, write, (node) => `${file}:${lineOf(node)}`);
  }
  return [
    ...problems,
    ...diagnose(lines.join('\n')).map(({ line, message }) => `${places[line]}: ${message}`),
  ];
}

function typeOf({ apiVersion, kind }) {
  const own = OWN[`${apiVersion} ${kind}`];
  return (
    own?.replaceAll(/\s+/g, ' ') ??
    (MODULES[apiVersion] && `import('kubernetes-types/${MODULES[apiVersion]}').${kind}`)
  );
}

/** Words without quotes: the compiler then says which one may have been meant. */
const keyOf = (key) => (/^[A-Za-z]\w*$/.test(key) ? key : JSON.stringify(key));

/** Writes each key and each item on a line of its own, and remembers the line of the manifest. */
function writeLiteral(contents, type, write, placeOf) {
  const writeNode = (node, before, place) => {
    if (isMap(node)) {
      write(`${before}{`, place);
      for (const { key, value } of node.items) writeNode(value, `${keyOf(key.value)}: `, placeOf(key));
      write('},', place);
    } else if (isSeq(node)) {
      write(`${before}[`, place);
      for (const item of node.items) writeNode(item, '', placeOf(item));
      write('],', place);
    } else write(`${before}${JSON.stringify(node.value)},`, place);
  };
  write(`(<T>(_: T) => _)<${type}>(`, placeOf(contents));
  writeNode(contents, '', placeOf(contents));
  write(');', placeOf(contents));
}

function diagnose(text) {
  const host = ts.createCompilerHost(OPTIONS);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => name === SOURCE || fileExists(name);
  host.getSourceFile = (name, version) =>
    name === SOURCE ? ts.createSourceFile(name, `export {};${text}`, version) : getSourceFile(name, version);
  const program = ts.createProgram([SOURCE], OPTIONS, host);
  const source = program.getSourceFile(SOURCE);
  return [
    ...program.getGlobalDiagnostics(),
    ...program.getSyntacticDiagnostics(source),
    ...program.getSemanticDiagnostics(source),
  ].map(({ start = 0, messageText }) => ({
    line: source.getLineAndCharacterOfPosition(start).line,
    message: ts
      .flattenDiagnosticMessageText(messageText, ' ')
      .replace(/^Object literal may only specify known properties, (but|and) /, ''),
  }));
}
