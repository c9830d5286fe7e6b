import { type ApiContent, type ApiDocument, contentExamples } from '@svc/testing';
import { examplesOf, type Schemas } from '../../src/openapi/example-values.js';

/** Lists the examples of a content by name: those that stand in the description, or the one that its fields make. */
export function examplesIn(document: ApiDocument, content: ApiContent): [string, unknown][] {
  const shown = contentExamples(document, content);
  if (shown.length > 0 || content.schema === undefined) return shown;
  return Object.entries(examplesOf(content.schema, document.components.schemas as Schemas));
}
