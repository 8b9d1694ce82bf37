import type { Endpoint, Endpoints } from './endpoint'

/** Endpoints of version 2 for tokens, webhooks, front history and files, and `/private`. */
export const v2: Endpoints<'/v2' | '/private', Endpoint> = {
  'GET /v2/systems/@me/tokens': { requires: 'manage' },
  'POST /v2/systems/@me/tokens': { requires: 'issue_tokens', events: [] },
  'DELETE /v2/systems/@me/tokens/{name}': { requires: 'manage', events: [] },
  'PATCH /v2/systems/@me/members': {
    requires: 'change',
    events: { testedIn: 'test/http/v2/bulkChanges.test.ts' },
  },
  'PATCH /v2/systems/@me/groups': {
    requires: 'change',
    events: { testedIn: 'test/http/v2/bulkChanges.test.ts' },
  },
  'GET /v2/systems/@me/accounts': { requires: 'read' },
  'POST /v2/systems/@me/link-code': { requires: 'issue_tokens', events: [] },
  'GET /v2/systems/{systemRef}/fronting.ics': { requires: 'nothing' },
  'GET /v2/systems/{systemRef}/fronting/days': { requires: 'nothing' },
  'GET /v2/systems/{systemRef}/fronting/hours': { requires: 'nothing' },
  'GET /v2/systems/{systemRef}/fronting/pairs': { requires: 'nothing' },
  'GET /v2/systems/{systemRef}/fronting/stints': { requires: 'nothing' },
  'GET /v2/systems/{systemRef}/fronting/totals': { requires: 'nothing' },
  'GET /v2/systems/@me/webhook': { requires: 'manage' },
  'PUT /v2/systems/@me/webhook': {
    requires: 'manage',
    events: { testedIn: 'test/events/webhook.test.ts' },
  },
  'DELETE /v2/systems/@me/webhook': {
    requires: 'manage',
    events: { testedIn: 'test/events/webhook.test.ts' },
  },
  'POST /v2/systems/@me/webhook/verify': {
    requires: 'manage',
    events: { testedIn: 'test/events/webhook.test.ts' },
  },
  'POST /v2/systems/@me/webhook/enable': { requires: 'manage', events: [] },
  'POST /v2/systems/@me/webhook/test': { requires: 'manage', events: [] },
  'GET /v2/systems/@me/events': { requires: 'follow' },
  'GET /v2/systems/{systemRef}/fronters/stream': { requires: 'nothing' },
  'POST /v2/systems/@me/import': {
    requires: 'import',
    events: { testedIn: 'test/http/v2/imports.test.ts' },
  },
  'GET /v2/systems/@me/export': { requires: 'export' },
  'GET /v2/systems/@me/export/front-history': { requires: 'export', query: 'format=csv' },
  'POST /private/bulk_privacy/member': {
    requires: 'change',
    events: { testedIn: 'test/http/server/private.test.ts' },
  },
  'POST /private/bulk_privacy/group': {
    requires: 'change',
    events: { testedIn: 'test/http/server/private.test.ts' },
  },
}
