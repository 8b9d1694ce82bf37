import { DomainError, type ErrorName } from '../../src/model/core/errors'
import { anonymousViewer, operator, type Viewer } from '../../src/model/core/privacy'
import { deleteAccountLink, linkAccount, unlinkAccount } from '../../src/service/access/accounts'
import { createBot, listBots } from '../../src/service/access/bots'
import { createInvite, listInvites, revokeInvite } from '../../src/service/access/invites'
import { createLinkCode, linkByCode } from '../../src/service/access/linkCodes'
import { createSystem } from '../../src/service/access/registration'
import { createSetupCode } from '../../src/service/access/setupCodes'
import { replaceToken } from '../../src/service/access/tokens'
import { measureBacklog } from '../../src/service/admin/backlog'
import { getStats } from '../../src/service/admin/stats'
import { listTaskRuns, recordTaskRun } from '../../src/service/admin/taskRuns'
import { findBotStatus, storeBotStatus } from '../../src/service/discord/botStatus'
import {
  claimEvent,
  findDroppedClaim,
  listUnfinishedClaims,
  settleClaim,
} from '../../src/service/discord/claims'
import { listCommandHashes, storeCommandHash } from '../../src/service/discord/commandHashes'
import {
  deleteGatewaySession,
  listGatewaySessions,
  storeGatewaySessions,
} from '../../src/service/discord/sessions'
import { deleteAllSwitches } from '../../src/service/front/switches'
import { patchGuild, patchSystemGuild } from '../../src/service/proxy/guilds'
import { deleteMessages } from '../../src/service/proxy/recordMessage'
import { disableSystem, enableSystem } from '../../src/service/systems/disableSystem'
import { describeSystems, findUnused, pruneSystems } from '../../src/service/systems/systemActivity'
import { actFor, deleteSystem } from '../../src/service/systems/systems'
import { exportSystem } from '../../src/service/transfer/export/export'
import { importFile, importNewSystem } from '../../src/service/transfer/import/import'
import { describe, expect, test } from '../tools/test'
import { createTestApp } from '../tools/testApp'

const { deps, makeSystem } = createTestApp()
const system = await makeSystem()

/** IDs of Discord. The bot of these tests belongs to another platform. */
const [ACCOUNT, GUILD, MESSAGE] = ['100000000000000001', '333', '444']
const claim = {
  ...{ id: MESSAGE, kind: 'message' as const, node: 'n', guild: GUILD, channel: '5' },
  ...{ thread: null, sender: ACCOUNT, member: null, digest: null },
}
const botStatus = {
  ...{ application: '1', name: 'Lantern', node: 'n', at: 1, shards: 1, shards_ready: 1 },
  ...{ guilds: 1, last_event: null, disconnected_at: null, problem: null },
}
const commands = { application: '1', scope: 'global' }
const registration = { account: null, tokenName: 'test' }
const file = new TextEncoder().encode('{"version": 2, "members": [], "switches": []}')
const plain = { dryRun: true, only: null, isPublic: false, link: new Set<string>() }
const vouching = { ...plain, link: new Set([ACCOUNT]) }

const owner: Viewer = { system: system.id, platform: null }
const bot: Viewer = { system: null, platform: 'matrix' }
const callers = {
  'an anonymous caller': anonymousViewer,
  'the owner': owner,
  'a bot': bot,
  'a bot acting for the system': { ...bot, system: system.id },
}

type Outcome = ErrorName | 'done'
type Operations = Record<string, (viewer: Viewer) => Promise<unknown>>

interface Rule {
  readonly outcomes: Record<keyof typeof callers, Outcome>
  readonly operations: Operations
}

/** Permission checks of service functions, which do not rely on those of a route. */
const rules: Record<string, Rule> = {
  'operations of the owner': {
    outcomes: {
      'an anonymous caller': 'unauthorized',
      'the owner': 'done',
      'a bot': 'badRequest',
      'a bot acting for the system': 'done',
    },
    operations: {
      'exporting a system': (viewer) => exportSystem(deps, viewer),
      'importing into a system': (viewer) => importFile(deps, viewer, file, plain),
      'creating a link code': (viewer) => createLinkCode(deps, viewer),
      'creating a token': (viewer) => replaceToken(deps, viewer, { name: 'phone' }),
      'deleting all switches': (viewer) => deleteAllSwitches(deps, viewer),
    },
  },
  'operations for a system that need authority over Discord': {
    outcomes: {
      'an anonymous caller': 'unauthorized',
      'the owner': 'forbidden',
      'a bot': 'badRequest',
      'a bot acting for the system': 'forbidden',
    },
    operations: {
      'linking an account': (viewer) => linkAccount(deps, viewer, ACCOUNT),
      'unlinking an account': (viewer) => unlinkAccount(deps, viewer, ACCOUNT),
      'importing with an account to link': (viewer) => importFile(deps, viewer, file, vouching),
      'importing with all accounts to link': (viewer) =>
        importFile(deps, viewer, file, { ...plain, link: 'all' }),
      'creating settings in a guild': (viewer) =>
        patchSystemGuild(deps, viewer, GUILD, {}, 'create'),
    },
  },
  'operations that need authority over Discord': {
    outcomes: {
      'an anonymous caller': 'unauthorized',
      'the owner': 'forbidden',
      'a bot': 'forbidden',
      'a bot acting for the system': 'forbidden',
    },
    operations: {
      'acting for a system': (viewer) => actFor(deps, viewer, system.hid),
      'linking an account by a code': (viewer) => linkByCode(deps, viewer, ACCOUNT, 'K7MQ3XPA'),
      'unlinking an account from any system': (viewer) => deleteAccountLink(deps, viewer, ACCOUNT),
      'changing a guild': (viewer) => patchGuild(deps, viewer, GUILD, {}),
      'deleting a message': (viewer) => deleteMessages(deps, viewer, [MESSAGE]),
      'claiming an event': (viewer) => claimEvent(deps, viewer, claim),
      'ending a claim': (viewer) => settleClaim(deps, viewer, MESSAGE, 'done'),
      'finding a dropped claim': (viewer) => findDroppedClaim(deps, viewer, MESSAGE),
      'listing claims': (viewer) => listUnfinishedClaims(deps, viewer),
      'listing gateway sessions': (viewer) => listGatewaySessions(deps, viewer),
      'storing gateway sessions': (viewer) => storeGatewaySessions(deps, viewer, []),
      'deleting a gateway session': (viewer) => deleteGatewaySession(deps, viewer, 0),
      'listing hashes of commands': (viewer) => listCommandHashes(deps, viewer, '1'),
      'storing the status of the bot': (viewer) => storeBotStatus(deps, viewer, botStatus),
      'storing a hash of commands': (viewer) => storeCommandHash(deps, viewer, commands, 'h'),
    },
  },
  'operations of every bot': {
    outcomes: {
      'an anonymous caller': 'unauthorized',
      'the owner': 'forbidden',
      'a bot': 'done',
      'a bot acting for the system': 'done',
    },
    operations: { 'creating a system': (viewer) => createSystem(deps, viewer, {}, registration) },
  },
  'operations of the operator': {
    outcomes: {
      'an anonymous caller': 'forbidden',
      'the owner': 'forbidden',
      'a bot': 'forbidden',
      'a bot acting for the system': 'forbidden',
    },
    operations: {
      'importing a new system': (viewer) => importNewSystem(deps, viewer, file, plain),
      'listing all systems': (viewer) => describeSystems(deps, viewer),
      'finding unused systems': (viewer) => findUnused(deps, viewer, deps.now()),
      'deleting unused systems': (viewer) => pruneSystems(deps, viewer, 0),
      'disabling a system': (viewer) => disableSystem(deps, viewer),
      'enabling a system': (viewer) => enableSystem(deps, viewer),
      'reading statistics': (viewer) => getStats(deps, viewer),
      'measuring the webhook backlog': (viewer) => measureBacklog(deps, viewer),
      'reading the status of the Discord bot': (viewer) => findBotStatus(deps, viewer),
      'listing task runs': (viewer) => listTaskRuns(deps, viewer),
      'recording a task run': (viewer) => recordTaskRun(deps, viewer, 'backup', null),
      'creating an invite': (viewer) =>
        createInvite(deps, viewer, { name: 'sly', uses: 1, expires: null }),
      'creating a set-up code': (viewer) => createSetupCode(deps, viewer),
      'listing invites': (viewer) => listInvites(deps, viewer),
      'revoking an invite': (viewer) => revokeInvite(deps, viewer, 'sly'),
      'listing all bots': (viewer) => listBots(deps, viewer),
      'creating a bot': (viewer) => createBot(deps, viewer, 'sly'),
    },
  },
}

describe.each(Object.entries(rules))('%s', (_, { outcomes, operations }) => {
  const cases = Object.entries(operations).flatMap(([name, operation]) =>
    Object.entries(callers).map(([caller, viewer]) => {
      const outcome = outcomes[caller as keyof typeof callers]
      return [name, caller, outcome, () => operation(viewer)] as const
    }),
  )

  test.each(cases)('%s as %s results in %s', async (_name, _caller, outcome, run) => {
    expect(await outcomeOf(run())).toBe(outcome)
  })
})

test('lets the operator act as any system and link accounts of any platform', async () => {
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
