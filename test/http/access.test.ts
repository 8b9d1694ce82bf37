import { describe, expect, test } from 'bun:test'
import {
  type Access,
  accesses,
  hasPermission,
  type Permission,
  permissions,
} from '../../src/model/scope'
import { document } from '../openapiDocument'
import { createFixture } from '../scenarios'
import { createTestApp } from '../testApp'

const house = createTestApp({ RATE_LIMIT: 'off' })

/**
 * What each operation takes, by its name in the API document. What is not named here may be asked by
 * everybody who has a token: reads, in which privacy decides what is seen.
 */
const needs: Record<string, Permission> = {
  createSwitch: 'switch',
  updateSwitch: 'switch',
  updateSwitchMembers: 'switch',
  deleteSwitch: 'switch',
  exportSystem: 'export',
  exportFrontHistory: 'export',
  importFile: 'import',
  importSystem: 'import',
  streamEvents: 'follow',
  listTokens: 'manage',
  createOwnToken: 'issue_tokens',
  revokeToken: 'manage',
  createLinkCode: 'issue_tokens',
  getWebhook: 'manage',
  listSessions: 'manage',
  renameSession: 'manage',
  deleteSession: 'manage',
  deleteAllSessions: 'manage',
  getPreferences: 'manage',
  updatePreferences: 'manage',
}

/** By what they do, where their method does not tell: reads of what only the owner has. */
const ownReads = ['listAccounts', 'getOwnSystemGuild', 'getOwnMemberGuild', 'getAutoproxy']

interface Operation {
  operationId: string
  /** A body that works. */
  example: unknown
  line: string
}

/** What some need to be asked at all. */
const queries: Record<string, string> = {
  exportFrontHistory: '?format=csv',
  updateAutoproxy: '?guild_id=466707357099884544',
}

interface Documented {
  operationId: string
  requestBody?: { content: Record<string, { example?: unknown }> }
}

const operations: Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods as Record<string, object>)
    // Bots have keys of their own, and who logs in shows no token.
    .filter(() => !path.startsWith('/bot/'))
    .map(([method, operation]) => ({
      operationId: (operation as Documented).operationId,
      example: (operation as Documented).requestBody?.content['application/json']?.example,
      line: `${method.toUpperCase()} ${path}`,
    }))
    .filter(
      ({ operationId }) =>
        !/^(createSession|previewLogin|getSession|deleteOwnSession)$/.test(operationId),
    ),
)

function needOf({ operationId, line }: Operation): Permission | null {
  if (line.includes('/webhook')) return 'manage'
  const named = needs[operationId]
  if (named) return named
  if (ownReads.some((name) => operationId.startsWith(name))) return 'read'
  if (line.startsWith('GET ')) return /\/export/.test(line) ? 'export' : null
  if (/switches/.test(line)) return 'switch'
  return /import/.test(line) ? 'import' : 'change'
}

const world = await createFixture(house)

async function tokenOf(scope: string): Promise<string> {
  const { json } = await house.ask<{ token: string }>('POST /v2/systems/@me/tokens', {
    as: world.owner,
    body: { name: `of ${scope}`, scope },
  })
  return json.token
}

describe.each(accesses.filter((access) => access !== 'session'))(
  'a token of scope %s',
  async (scope) => {
    const token = scope === 'full' ? world.owner.token : await tokenOf(scope)

    test.each(operations.map((one) => [`${one.operationId}: ${one.line}`, one] as const))(
      '%s',
      async (_, operation) => {
        const act = needOf(operation)
        const [method = '', path = ''] = operation.line.split(' ')
        // What is named is there, so that nothing but the scope is in the way.
        const filled = path
          .replace('{systemRef}', '@me')
          .replace('{memberRef}', world.wren.hid)
          .replace('{groupRef}', world.keepers.hid)
          .replace('{switchRef}', world.first.uuid)
          .replace(/\{(id|name)\}/, 'nobody')
          .replace('{message}', '1')
          .replace(/\{[^}]*guild[^}]*\}/, '466707357099884544')
          .replace(/\{[^}]+\}/g, world.owner.hid)
        if (method === 'DELETE' && hasPermission(scope, act ?? 'change')) return
        const ending = new AbortController()
        const request = new Request(
          `http://localhost${filled}${queries[operation.operationId] ?? ''}`,
          {
            method,
            headers: { authorization: token },
            signal: ending.signal,
            ...(method !== 'GET' && { body: JSON.stringify(operation.example ?? {}) }),
          },
        )
        const response = await house.app.handle(request, '127.0.0.1')
        const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
        const told = isStream ? {} : await response.json().catch(() => ({}))
        await (isStream && response.body?.cancel())
        ending.abort()
        const isRefused = response.status === 403 && (told as { code?: number }).code === 0
        expect(isRefused).toBe(act !== null && !hasPermission(scope, act))
        if (response.status >= 500) throw new Error(`${operation.line} answered ${response.status}`)
      },
    )
  },
)

describe('the scopes', () => {
  const rows: [Access, Permission[]][] = accesses.map((access) => [
    access,
    (Object.keys(permissions) as Permission[]).filter((act) => hasPermission(access, act)),
  ])

  test('allow what the page says', () => {
    expect(Object.fromEntries(rows)).toEqual({
      full: Object.keys(permissions) as Permission[],
      session: [
        'read',
        'watch',
        'subscribe',
        'switch',
        'export',
        'change',
        'follow',
        'import',
        'manage',
        'share',
      ],
      front: ['read', 'watch', 'subscribe', 'switch'],
      read: ['read', 'watch', 'subscribe', 'export'],
      calendar: ['subscribe'],
      watch: ['watch'],
    })
  })
})
