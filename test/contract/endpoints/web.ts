import type { Endpoint, Endpoints } from './endpoint'

/** Sessions, registration and preferences of the dashboard, and pictures. */
export const web: Endpoints<'/web' | '/pictures', Endpoint> = {
  'POST /web/session': {
    requires: 'no token',
    events: { none: 'a session is not part of a system' },
  },
  'GET /web/session': { requires: 'session' },
  'DELETE /web/session': {
    requires: 'session',
    events: { none: 'a session is not part of a system' },
  },
  'POST /web/login': {
    requires: 'no token',
    events: { none: 'a login link is not part of a system' },
  },
  'GET /web/registration': { requires: 'nothing' },
  'POST /web/setup': {
    requires: 'no token',
    events: { none: 'a set-up link is not part of a system' },
  },
  'POST /web/systems': {
    requires: 'no token',
    events: { none: 'a new system has no listeners yet' },
  },
  'POST /web/login-links': {
    requires: 'manage',
    events: { none: 'a login link is not part of a system' },
  },
  'POST /web/import-place': {
    requires: 'import',
    events: { none: 'a place in the queue is not part of a system' },
  },
  'GET /web/sessions': { requires: 'manage' },
  'DELETE /web/sessions': {
    requires: 'manage',
    events: { none: 'a session is not part of a system' },
  },
  'PATCH /web/sessions/{id}': {
    requires: 'manage',
    events: { none: 'a session is not part of a system' },
  },
  'DELETE /web/sessions/{id}': {
    requires: 'manage',
    events: { none: 'a session is not part of a system' },
  },
  'GET /web/preferences': { requires: 'manage' },
  'PATCH /web/preferences': { requires: 'manage', events: [] },
  'GET /pictures/{file}': { requires: 'nothing' },
}
