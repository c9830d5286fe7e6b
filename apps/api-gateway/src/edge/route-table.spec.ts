import { expect, test } from '@jest/globals';
import { RouteTable } from './route-table.js';

const routes = new RouteTable();
routes.add(['GET', 'HEAD'], '/v1/sessions/:id');
routes.add(['DELETE'], '/v1/sessions/:id');
routes.add(['GET'], '/openapi.json');

test.each([
  ['/v1/sessions/1', ['DELETE', 'GET', 'HEAD']],
  ['/v1/sessions/1?x=/y', ['DELETE', 'GET', 'HEAD']],
  ['/openapi.json', ['GET']],
  ['/openapiXjson', []],
  ['/v1/sessions', []],
  ['/v1/sessions/1/2', []],
])('knows the methods of %s', (url, methods) => {
  expect(routes.methodsOf(url)).toEqual(methods);
});
