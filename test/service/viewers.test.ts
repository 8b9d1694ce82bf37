import { describe, expect, test } from 'bun:test'
import { DomainError, type ErrorName } from '../../src/model/errors'
import { anonymousViewer, operator, type Viewer } from '../../src/model/privacy'
import { createBot, listBots } from '../../src/service/access/bots'
import { createLinkCode, linkByCode } from '../../src/service/access/linkCodes'
import { replaceToken } from '../../src/service/access/tokens'
import { forgetAccount, linkAccount, unlinkAccount } from '../../src/service/accounts'
import { describeSystems, findUnused, pruneSystems } from '../../src/service/admin/activity'
import { measureBacklog } from '../../src/service/admin/backlog'
import { disableSystem, enableSystem } from '../../src/service/admin/disableSystem'
import { createInvite, listInvites, revokeInvite } from '../../src/service/admin/invites'
import { getStats } from '../../src/service/admin/stats'
import { listTaskRuns, recordTaskRun } from '../../src/service/admin/taskRuns'
import { patchGuild, patchSystemGuild } from '../../src/service/guilds'
import { deleteMessages } from '../../src/service/proxy/recordMessage'
import { deleteAllSwitches } from '../../src/service/switches'
import { actFor, createSystem, deleteSystem } from '../../src/service/systems'
import { exportSystem } from '../../src/service/transfer/export'
import { importFile, importNewSystem } from '../../src/service/transfer/import'
import { createTestApp } from '../testApp'

const { deps, makeSystem } = createTestApp()
const system = await makeSystem()

/** Of Discord; the bot is of another platform. */
const [ACCOUNT, GUILD, MESSAGE] = ['100000000000000001', '333', '444']
const beginning = { account: null, tokenName: 'test' }
const file = new TextEncoder().encode('{"version": 2, "members": [], "switches": []}')
const plain = { dryRun: true, only: null, isPublic: false, link: new Set<string>() }
const vouching = { ...plain, link: new Set([ACCOUNT]) }

const owner: Viewer = { system: system.id, platform: null }
const bot: Viewer = { system: null, platform: 'matrix' }
const callers = {
  nobody: anonymousViewer,
  owner,
  bot,
  'a bot for it': { ...bot, system: system.id },
}

type Outcome = ErrorName | 'done'
type Verbs = Record<string, (viewer: Viewer) => Promise<unknown>>

/** Who may do what, whatever a route has asked before. */
const rules: Record<string, { says: Record<keyof typeof callers, Outcome>; verbs: Verbs }> = {
  'what is the owner’s alone': {
    says: { nobody: 'unauthorized', owner: 'done', bot: 'badRequest', 'a bot for it': 'done' },
    verbs: {
      'exporting a system': (viewer) => exportSystem(deps, viewer),
      'importing into it': (viewer) => importFile(deps, viewer, file, plain),
      'making a code': (viewer) => createLinkCode(deps, viewer),
      'making a token': (viewer) => replaceToken(deps, viewer, { name: 'phone' }),
      'deleting all switches': (viewer) => deleteAllSwitches(deps, viewer),
    },
  },
  'what the owner’s bot must know of Discord': {
    says: {
      nobody: 'unauthorized',
      owner: 'forbidden',
      bot: 'badRequest',
      'a bot for it': 'forbidden',
    },
    verbs: {
      'linking an account': (viewer) => linkAccount(deps, viewer, ACCOUNT),
      'unlinking it': (viewer) => unlinkAccount(deps, viewer, ACCOUNT),
      'importing with it': (viewer) => importFile(deps, viewer, file, vouching),
      'importing with any': (viewer) => importFile(deps, viewer, file, { ...plain, link: 'all' }),
      'making settings in a guild': (viewer) => patchSystemGuild(deps, viewer, GUILD, {}, 'make'),
    },
  },
  'what a bot must know of Discord': {
    says: {
      nobody: 'unauthorized',
      owner: 'forbidden',
      bot: 'forbidden',
      'a bot for it': 'forbidden',
    },
    verbs: {
      'acting for a system': (viewer) => actFor(deps, viewer, system.hid),
      'linking an account by a code': (viewer) => linkByCode(deps, viewer, ACCOUNT, 'K7MQ3XPA'),
      'forgetting it': (viewer) => forgetAccount(deps, viewer, ACCOUNT),
      'changing a guild': (viewer) => patchGuild(deps, viewer, GUILD, {}),
      'forgetting a message': (viewer) => deleteMessages(deps, viewer, [MESSAGE]),
    },
  },
  'what every bot may': {
    says: { nobody: 'unauthorized', owner: 'forbidden', bot: 'done', 'a bot for it': 'done' },
    verbs: { 'making a system': (viewer) => createSystem(deps, viewer, {}, beginning) },
  },
  'what is the operator’s alone': {
    says: {
      nobody: 'forbidden',
      owner: 'forbidden',
      bot: 'forbidden',
      'a bot for it': 'forbidden',
    },
    verbs: {
      'making a system of a file': (viewer) => importNewSystem(deps, viewer, file, plain),
      'listing all systems': (viewer) => describeSystems(deps, viewer),
      'looking for unused systems': (viewer) => findUnused(deps, viewer, deps.now()),
      'pruning them': (viewer) => pruneSystems(deps, viewer, 0),
      'disabling a system': (viewer) => disableSystem(deps, viewer),
      'enabling it': (viewer) => enableSystem(deps, viewer),
      'counting what there is': (viewer) => getStats(deps, viewer),
      'measuring what waits': (viewer) => measureBacklog(deps, viewer),
      'hearing how backups went': (viewer) => listTaskRuns(deps, viewer),
      'saying how one went': (viewer) => recordTaskRun(deps, viewer, 'backup', null),
      'making an invite': (viewer) =>
        createInvite(deps, viewer, { name: 'sly', uses: 1, expires: null }),
      'listing invites': (viewer) => listInvites(deps, viewer),
      'revoking one': (viewer) => revokeInvite(deps, viewer, 'sly'),
      'listing all bots': (viewer) => listBots(deps, viewer),
      'making a bot': (viewer) => createBot(deps, viewer, 'sly'),
    },
  },
}

describe.each(Object.entries(rules))('%s', (_, { says, verbs }) => {
  const cases = Object.entries(verbs).flatMap(([name, verb]) =>
    Object.entries(callers).map(([caller, viewer]) => {
      const outcome = says[caller as keyof typeof callers]
      return [name, caller, outcome, () => verb(viewer)] as const
    }),
  )

  test.each(cases)('%s, as %s: %s', async (_name, _caller, outcome, act) => {
    expect(await outcomeOf(act())).toBe(outcome)
  })
})

test('the operator acts as any system, and says whose accounts are', async () => {
  const { hid } = await makeSystem()
  const { viewer } = await actFor(deps, operator, hid)
  await linkAccount(deps, viewer, ACCOUNT)
  await linkAccount(deps, viewer, 'matrix:@wren:example.org')
  await deleteSystem(deps, viewer)
  expect(await outcomeOf(actFor(deps, operator, hid))).toBe('systemNotFound')
})

async function outcomeOf(work: Promise<unknown>): Promise<Outcome> {
  try {
    await work
    return 'done'
  } catch (cause) {
    if (cause instanceof DomainError) return cause.kind
    throw cause
  }
}
