import {
  type Access,
  accesses,
  hasPermission,
  type Permission,
  permissions,
} from '../../src/model/privacy'
import { document } from '../openapiDocument'
import { createFixture } from '../scenarios'
import { describe, expect, test } from '../test'
import { createTestApp } from '../testApp'

const testApp = createTestApp({ RATE_LIMIT: 'off' })

/**
 * Permission that each operation requires, by operation ID. Any token may call an operation that is
 * not listed here and that `requiredPermission` does not classify: reads, whose fields are redacted.
 */
const requiredByOperation: Record<string, Permission> = {
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
  createOwnLoginLink: 'manage',
  renameSession: 'manage',
  deleteSession: 'manage',
  deleteAllSessions: 'manage',
  getPreferences: 'manage',
  updatePreferences: 'manage',
  putSwitch: 'switch',
  cancelSwitch: 'switch',
  listFrontNotes: 'read_journal',
  createFrontNote: 'switch',
  updateFrontNote: 'switch',
  deleteFrontNote: 'switch',
  getExtSettings: 'read',
  listNotes: 'read_journal',
  getNote: 'read_journal',
  listRooms: 'read_journal',
  listPosts: 'read_journal',
  countUnreadPosts: 'read_journal',
  listPolls: 'read_journal',
  getPoll: 'read_journal',
  listReminders: 'read_journal',
  listArchive: 'read_journal',
  listOrigins: 'read_journal',
  readArchive: 'read_journal',
  convertArchive: 'import',
  listBuckets: 'manage_friends',
  createBucket: 'manage_friends',
  updateBucket: 'manage_friends',
  deleteBucket: 'manage_friends',
  setBucketContents: 'manage_friends',
  listFriends: 'manage_friends',
  acceptInvite: 'manage_friends',
  updateFriend: 'manage_friends',
  deleteFriend: 'manage_friends',
  streamFriends: 'manage_friends',
  listInvites: 'manage_friends',
  createInvite: 'manage_friends',
  previewInvite: 'manage_friends',
  deleteInvite: 'manage_friends',
  getFriendFront: 'manage_friends',
  listFriendMembers: 'manage_friends',
  getFriendMember: 'manage_friends',
  listFriendGroups: 'manage_friends',
  listFriendFields: 'manage_friends',
  listPushTargets: 'manage_push',
  putPushTarget: 'manage_push',
  updatePushTarget: 'manage_push',
  deletePushTarget: 'manage_push',
  testPushTarget: 'manage_push',
}

/** Beginnings of the IDs of GET operations that only the owner may call. */
const ownerReads = ['listAccounts', 'getOwnSystemGuild', 'getOwnMemberGuild', 'getAutoproxy']

interface Operation {
  operationId: string
  /** A valid body. */
  example: unknown
  line: string
}

/** Query strings of operations that require one. */
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
    // Bots use keys instead of tokens, and a login request has no token.
    .filter(() => !path.startsWith('/bot/'))
    .map(([method, operation]) => ({
      operationId: (operation as Documented).operationId,
      example: (operation as Documented).requestBody?.content['application/json']?.example,
      line: `${method.toUpperCase()} ${path}`,
    }))
    .filter(
      ({ operationId }) =>
        !/^(createSession|previewLogin|previewSetup|createSystemInBrowser|getSession|deleteOwnSession)$/.test(
          operationId,
        ),
    ),
)

function requiredPermission({ operationId, line }: Operation): Permission | null {
  if (line.includes('/webhook')) return 'manage'
  const named = requiredByOperation[operationId]
  if (named) return named
  if (ownerReads.some((name) => operationId.startsWith(name))) return 'read'
  if (line.startsWith('GET ')) return /\/export/.test(line) ? 'export' : null
  if (/switches/.test(line)) return 'switch'
  return /import/.test(line) ? 'import' : 'change'
}

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
      operations.map(
        (operation) => [`${operation.operationId}: ${operation.line}`, operation] as const,
      ),
    )(`token with scope ${scope}: %s`, async (_, operation) => {
      const permission = requiredPermission(operation)
      const [method = '', path = ''] = operation.line.split(' ')
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
      const request = new Request(
        `http://localhost${filled}${queries[operation.operationId] ?? ''}`,
        {
          method,
          headers: { authorization: token },
          signal: abort.signal,
          ...(method !== 'GET' && { body: JSON.stringify(operation.example ?? {}) }),
        },
      )
      const response = await testApp.app.handle(request, '127.0.0.1')
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
      const body = isStream ? {} : await response.json().catch(() => ({}))
      await (isStream && response.body?.cancel())
      abort.abort()
      const isRefused = response.status === 403 && (body as { code?: number }).code === 0
      expect(isRefused).toBe(permission !== null && !hasPermission(scope, permission))
      if (response.status >= 500) throw new Error(`${operation.line} answered ${response.status}`)
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
