import {
  type Access,
  accesses,
  hasPermission,
  type Permission,
  permissions,
} from '../../../src/model/core/privacy'
import { endpoints } from '../../contract/endpoints'
import { document } from '../../tools/openapiDocument'
import { createFixture } from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const testApp = createTestApp({ RATE_LIMIT: 'off' })

interface Operation {
  operationId: string
  requestBody?: { content: Record<string, { example?: unknown }> }
}

interface ScopedRequest {
  operationId: string
  line: string
  /** Permission that it requires; null if any token may send it. */
  permission: Permission | null
  query: string
  /** A valid body. */
  example: unknown
}

const requests: ScopedRequest[] = Object.entries(endpoints).flatMap(
  ([line, { requires, query }]) => {
    // Bots use keys instead of tokens, and the others are for callers that have no token.
    if (requires === 'bot key' || requires === 'no token' || requires === 'session') return []
    const [method = '', path = ''] = line.split(' ')
    const operation = document.paths[path]?.[method.toLowerCase()]
    if (!operation) return []
    const { operationId, requestBody } = operation as object as Operation
    return {
      operationId,
      line,
      permission: requires === 'nothing' ? null : requires,
      query: query ? `?${query}` : '',
      example: requestBody?.content['application/json']?.example,
    }
  },
)

const fixture = await createFixture(testApp)

async function createToken(scope: string): Promise<string> {
  const { json } = await testApp.ask<{ token: string }>('POST /v2/systems/@me/tokens', {
    as: fixture.owner,
    body: { name: `scope ${scope}`, scope },
  })
  return json.token
}

describe.each(accesses.filter((access) => access !== 'session'))(
  'permissions of a token with scope %s',
  async (scope) => {
    const token = scope === 'full' ? fixture.owner.token : await createToken(scope)

    test.each(
      requests.map((request) => [`${request.operationId}: ${request.line}`, request] as const),
    )(`token with scope ${scope}: %s`, async (_, { line, permission, query, example }) => {
      const [method = '', path = ''] = line.split(' ')
      // Use references that exist, so that only the scope can cause a refusal.
      const filled = path
        .replace('{systemRef}', '@me')
        .replace('{memberRef}', fixture.wren.hid)
        .replace('{groupRef}', fixture.keepers.hid)
        .replace('{switchRef}', fixture.first.uuid)
        .replace(/\{(id|name)\}/, 'nobody')
        .replace('{message}', '1')
        .replace(/\{[^}]*guild[^}]*\}/, '466707357099884544')
        .replace(/\{[^}]+\}/g, fixture.owner.hid)
      if (method === 'DELETE' && hasPermission(scope, permission ?? 'change')) return
      const abort = new AbortController()
      const request = new Request(`http://localhost${filled}${query}`, {
        method,
        headers: { authorization: token },
        signal: abort.signal,
        ...(method !== 'GET' && { body: JSON.stringify(example ?? {}) }),
      })
      const response = await testApp.app.handle(request, '127.0.0.1')
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
      const body = isStream ? {} : await response.json().catch(() => ({}))
      await (isStream && response.body?.cancel())
      abort.abort()
      const isRefused = response.status === 403 && (body as { code?: number }).code === 0
      expect(isRefused).toBe(permission !== null && !hasPermission(scope, permission))
      if (response.status >= 500) throw new Error(`${line} answered ${response.status}`)
    })
  },
)

describe('scopes', () => {
  const rows: [Access, Permission[]][] = accesses.map((access) => [
    access,
    (Object.keys(permissions) as Permission[]).filter((permission) =>
      hasPermission(access, permission),
    ),
  ])

  test('scopes grant the documented permissions', () => {
    expect(Object.fromEntries(rows)).toEqual({
      full: Object.keys(permissions) as Permission[],
      session: [
        'read',
        'watch',
        'subscribe',
        'switch',
        'read_journal',
        'export',
        'change',
        'follow',
        'import',
        'manage',
        'share',
        'manage_friends',
        'manage_push',
      ],
      front: ['read', 'watch', 'subscribe', 'switch'],
      read: ['read', 'watch', 'subscribe', 'read_journal', 'export'],
      calendar: ['subscribe'],
      watch: ['watch', 'manage_push'],
    })
  })
})
