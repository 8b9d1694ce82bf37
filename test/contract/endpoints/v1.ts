import type { Endpoint, Endpoints } from './endpoint'

/** Version 1 of the PluralKit API. */
export const v1: Endpoints<'/v1', Endpoint> = {
  'GET /v1/s': { requires: 'nothing' },
  'PATCH /v1/s': { requires: 'change', events: ['UPDATE_SETTINGS', 'UPDATE_SYSTEM'] },
  'GET /v1/s/{id}': { requires: 'nothing' },
  'GET /v1/a/{id}': { requires: 'nothing' },
  'GET /v1/s/{id}/members': { requires: 'nothing' },
  'GET /v1/s/{id}/switches': { requires: 'nothing' },
  'GET /v1/s/{id}/fronters': { requires: 'nothing' },
  'POST /v1/s/switches': { requires: 'switch', events: ['CREATE_SWITCH'] },
  'GET /v1/m/{id}': { requires: 'nothing' },
  'PATCH /v1/m/{id}': { requires: 'change', events: ['UPDATE_MEMBER'] },
  'DELETE /v1/m/{id}': { requires: 'change', events: ['DELETE_MEMBER'] },
  'POST /v1/m': { requires: 'change', events: ['CREATE_MEMBER'] },
  'GET /v1/msg/{id}': { requires: 'nothing' },
}
