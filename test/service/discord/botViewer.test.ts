import { anonymousViewer, discordBot, type Viewer } from '../../../src/model/core/privacy'
import {
  deleteAccountLink,
  getAccount,
  linkAccount,
  listAccounts,
  patchAccount,
  unlinkAccount,
} from '../../../src/service/access/accounts'
import { createLinkCode, linkByCode } from '../../../src/service/access/linkCodes'
import { createLoginCode } from '../../../src/service/access/loginLinks'
import { createSystem } from '../../../src/service/access/registration'
import { replaceToken } from '../../../src/service/access/tokens'
import { listSwitches } from '../../../src/service/front/history'
import {
  changeSwitchMembers,
  createSwitch,
  deleteAllSwitches,
  deleteSwitch,
  getFronters,
  moveSwitch,
} from '../../../src/service/front/switches'
import {
  createGroup,
  deleteGroup,
  patchGroup as patchOwnGroup,
} from '../../../src/service/groups/groups'
import { changeGroupMembers, changeMemberGroups } from '../../../src/service/groups/memberships'
import { getTotals, listStints } from '../../../src/service/insights/insights'
import {
  createMember,
  deleteMember,
  listMembers,
  patchMember,
} from '../../../src/service/members/members'
import { getOwnAutoproxy, patchAutoproxy } from '../../../src/service/proxy/autoproxy'
import { decideMessage } from '../../../src/service/proxy/decideMessage'
import {
  getGuild,
  patchGuild,
  patchMemberGuild,
  patchSystemGuild,
} from '../../../src/service/proxy/guilds'
import { getLastMessage, getMessageForAccount } from '../../../src/service/proxy/messages'
import { deleteMessages, recordMessage } from '../../../src/service/proxy/recordMessage'
import {
  readGroupMembers,
  readGroups,
  readMember,
  readSystem,
} from '../../../src/service/reads/objects'
import { getVisibleSettings, patchSettings } from '../../../src/service/systems/settings'
import { actFor, deleteSystem, getSystem, patchSystem } from '../../../src/service/systems/systems'
import { exportSystem } from '../../../src/service/transfer/export/export'
import { importForAccount, importLimited } from '../../../src/service/transfer/import/import'
import { outcomeOf } from '../../tools/outcomeOf'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

/**
 * Everything that the Discord bot does for an account, called in this process without a key and
 * without HTTP.
 */
const { deps } = createTestApp()

const GUILD = '200000000000000001'
const CHANNEL = '300000000000000001'
const bytes = new TextEncoder().encode(
  '{"version": 2, "members": [{ "name": "Robin" }], "switches": []}',
)
const file = async function* () {
  yield bytes
}
const plain = { dryRun: false, only: null, isPublic: false }
const { signal } = new AbortController()

let accounts = 100000000000000000n
const nextAccount = () => String(++accounts)

/** Creates a system for an account, as the bot does, with a member, a group and a switch. */
async function createStage() {
  const account = nextAccount()
  const created = await createSystem(
    deps,
    discordBot,
    { name: 'Lantern Hill' },
    { account, tokenName: 'bot' },
  )
  const { viewer, system } = await actFor(deps, discordBot, account)
  expect(system.id).toBe(created.system.id)
  const tags = { proxy_tags: [{ prefix: 'w:', suffix: null }] }
  const wren = (await createMember(deps, viewer, { name: 'Wren', ...tags })).row
  const flock = (await createGroup(deps, viewer, { name: 'Flock' })).row
  const front = await createSwitch(deps, viewer, '@me', { members: [wren.hid], timestamp: null })
  const draft = {
    ...{ id: `4${account}`, original: `5${account}`, sender: account, channel: CHANNEL },
    ...{ guild: GUILD, member: wren.uuid, timestamp: null },
  }
  await recordMessage(deps, discordBot, draft)
  return { account, viewer, system, wren, flock, front, draft }
}

type Stage = Awaited<ReturnType<typeof createStage>>
type Operation = (stage: Stage) => unknown

const stranger: Viewer = anonymousViewer

/** By the sections of the specification of the bot. */
const operations: Record<string, Record<string, Operation>> = {
  'proxying and acting on messages': {
    'deciding about a message': ({ account }) =>
      decideMessage(deps, discordBot, {
        ...{ platform: 'discord', account_id: account, guild_id: GUILD, channel_id: CHANNEL },
        ...{ thread_id: null, content: 'w:hello', has_attachments: false, has_poll: false },
        ...{ is_edit: false, previous: null, at: deps.now(), dry_run: false },
        limits: { content: 2000, name: 80 },
      }),
    'looking a message up': ({ account, draft }) =>
      getMessageForAccount(deps, discordBot, draft.id, account),
    'finding the last message': ({ account }) => getLastMessage(deps, discordBot, account, CHANNEL),
    'deleting records': ({ draft }) =>
      deleteMessages(
        deps,
        discordBot,
        Array.from({ length: 500 }, (_, at) => `${draft.id.slice(0, 15)}${at}`),
      ),
  },
  systems: {
    'showing a system to a stranger': ({ account }) => readSystem(deps, stranger, account),
    'finding the system of an account': ({ account }) => getAccount(deps, discordBot, account),
    'changing a system': ({ viewer }) => patchSystem(deps, viewer, '@me', { tag: '| hill' }),
    'changing server settings of a system': ({ viewer }) =>
      patchSystemGuild(deps, viewer, GUILD, { proxying_enabled: false }, 'create'),
    'deleting a system': ({ viewer }) => deleteSystem(deps, viewer),
    'listing members': ({ viewer, system }) => listMembers(deps, viewer, system),
    'listing groups': ({ viewer }) => readGroups(deps, viewer, '@me', false),
    'reading settings': ({ viewer }) => getVisibleSettings(deps, viewer, '@me'),
    'changing settings': ({ viewer }) =>
      patchSettings(deps, viewer, '@me', { pings_enabled: false }),
  },
  'members and groups': {
    'showing a member': ({ wren }) => readMember(deps, stranger, wren.hid),
    'changing a member': ({ viewer, wren }) =>
      patchMember(deps, viewer, wren.hid, { pronouns: 'they/them' }),
    'changing server settings of a member': ({ viewer, wren }) =>
      patchMemberGuild(deps, viewer, wren.hid, GUILD, { display_name: 'W' }, 'create'),
    'deleting a member': ({ viewer, wren }) => deleteMember(deps, viewer, wren.hid),
    'changing the groups of a member': ({ viewer, wren, flock }) =>
      changeMemberGroups(deps, viewer, wren.hid, 'add', [flock.hid]),
    'changing a group': ({ viewer, flock }) =>
      patchOwnGroup(deps, viewer, flock.hid, { display_name: 'F' }),
    'changing the members of a group': ({ viewer, wren, flock }) =>
      changeGroupMembers(deps, viewer, flock.hid, 'add', [wren.hid]),
    'listing the members of a group': ({ viewer, flock }) =>
      readGroupMembers(deps, viewer, flock.hid),
    'deleting a group': ({ viewer, flock }) => deleteGroup(deps, viewer, flock.hid),
  },
  switches: {
    'listing fronters': ({ viewer, system }) => getFronters(deps, viewer, system),
    'switching out': ({ viewer }) =>
      createSwitch(deps, viewer, '@me', { members: [], timestamp: null }),
    'editing a switch': ({ viewer, front }) =>
      changeSwitchMembers(deps, viewer, '@me', front.uuid, []),
    'moving a switch': ({ viewer, front }) =>
      moveSwitch(deps, viewer, '@me', front.uuid, front.timestamp - 1),
    'deleting a switch': ({ viewer, front }) => deleteSwitch(deps, viewer, '@me', front.uuid),
    'deleting all switches': ({ viewer }) => deleteAllSwitches(deps, viewer),
    'listing the front history': ({ viewer, system }) =>
      listSwitches(deps, viewer, system, { before: null, limit: 10 }),
    'summing the front history': ({ viewer }) =>
      getTotals(deps, viewer, '@me', { since: null, until: null }),
    'listing stints': ({ viewer }) =>
      listStints(deps, viewer, '@me', {
        ...{ since: null, until: null, before: null, limit: 10, member: null },
      }),
  },
  'accounts, autoproxy and servers': {
    'reading autoproxy': ({ viewer }) => getOwnAutoproxy(deps, viewer, GUILD),
    'changing autoproxy': ({ viewer }) =>
      patchAutoproxy(deps, viewer, GUILD, { autoproxy_mode: 'latch' }),
    'turning autoproxy off for an account': ({ account }) =>
      patchAccount(deps, discordBot, account, { autoproxy_enabled: false }),
    'listing accounts': ({ viewer }) => listAccounts(deps, viewer),
    'linking an account': ({ viewer }) => linkAccount(deps, viewer, nextAccount()),
    'linking an account by a code': async ({ viewer }) =>
      linkByCode(deps, discordBot, nextAccount(), (await createLinkCode(deps, viewer)).code),
    'unlinking an account': async ({ viewer, account }) => {
      expect(await outcomeOf(unlinkAccount(deps, viewer, account, true))).toThrow()
      await linkAccount(deps, viewer, nextAccount())
      return unlinkAccount(deps, viewer, account, true)
    },
    'unlinking an account whose system is unknown': ({ account }) =>
      deleteAccountLink(deps, discordBot, account),
    'reading the settings of a server': () => getGuild(deps, discordBot, GUILD),
    'changing the settings of a server': () =>
      patchGuild(deps, discordBot, GUILD, { log_channel: CHANNEL, say_enabled: true }),
  },
  'private matters': {
    'creating a token': ({ viewer }) => replaceToken(deps, viewer, { name: 'bot' }),
    'creating a login link': ({ viewer }) => createLoginCode(deps, viewer),
    'creating a link code': ({ viewer }) => createLinkCode(deps, viewer),
    'exporting a system': ({ viewer }) => exportSystem(deps, viewer),
    'importing a file': ({ viewer }) =>
      importLimited(deps, viewer, file(), { ...plain, link: new Set() }, signal),
    'importing a file for an account without a system': () => {
      const owner = { account: nextAccount(), invite: null }
      return importForAccount(deps, discordBot, file(), { ...plain, owner }, signal)
    },
  },
}

describe.each(Object.entries(operations))('the Discord bot of this process: %s', (_, group) => {
  test.each(Object.entries(group))('%s succeeds', async (_name, operation) => {
    const stage = await createStage()
    await operation(stage)
  })
})

test('the Discord bot does not act for a system without an account on Discord', async () => {
  const { system } = await createSystem(
    deps,
    { system: null, platform: 'matrix' },
    { name: 'Elsewhere' },
    { account: 'matrix:@wren:example.org', tokenName: 'bot' },
  )
  expect(await outcomeOf(actFor(deps, discordBot, system.hid))).toThrow()
  expect((await getSystem(deps, discordBot, system.hid)).name).toBe('Elsewhere')
})
