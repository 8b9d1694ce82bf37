import type { CommandId } from '../../../src/discord/text/enCommands'
import { describe, expect, test } from '../../tools/test'
import { type SlashOptions, startChat } from './discordChat'

const chat = await startChat()

/** Names of a private member and a private group. */
const NAMES = ['Veiledbird', 'Veiledgroup']
/** Private descriptions, also of the public member Wren and the public group Keepers. */
const TEXT = 'MARKER-TEXT'

/**
 * What each command shows about the system with the ID SYSTEM without naming anything private. The
 * commands without a line show nothing of a system but what they name.
 */
const reads: Record<CommandId, readonly string[]> = {
  'system.show': ['s SYSTEM'],
  'system.id': ['s SYSTEM id'],
  'system.new': [],
  'system.name': ['s SYSTEM name'],
  'system.tag': ['s SYSTEM tag'],
  'system.description': ['s SYSTEM description', 's SYSTEM desc -r', 's SYSTEM desc pt'],
  'system.pronouns': ['s SYSTEM pronouns'],
  'system.color': ['s SYSTEM color'],
  'system.avatar': ['s SYSTEM avatar'],
  'system.banner': ['s SYSTEM banner'],
  'system.servername': ['s SYSTEM servername'],
  'system.servertag': ['s SYSTEM servertag'],
  'system.serveravatar': ['s SYSTEM serveravatar'],
  'system.privacy': ['s SYSTEM privacy'],
  'system.proxy': ['s proxy'],
  'system.list': [
    'list',
    's SYSTEM list',
    's SYSTEM list full',
    's SYSTEM list -by-last-fronted -with-avatar',
    's SYSTEM find Veil',
    's SYSTEM find MARKER -sd',
  ],
  'system.fronter': ['s SYSTEM fronter', 'front'],
  'system.fronthistory': ['s SYSTEM fronthistory', 's SYSTEM fh -wid'],
  'system.frontpercent': ['s SYSTEM frontpercent', 's SYSTEM fp -flat'],
  'system.groups': ['s SYSTEM groups', 's SYSTEM groups full', 's SYSTEM groups Veil'],
  'system.delete': [],
  'system.webhook': [],
  'member.new': [],
  'member.show': ['m WREN'],
  'member.id': ['m WREN id'],
  'member.name': ['m WREN name'],
  'member.displayname': ['m WREN displayname'],
  'member.servername': ['m WREN servername'],
  'member.description': ['m WREN description', 'm WREN desc raw', 'm WREN desc -pt'],
  'member.pronouns': ['m WREN pronouns'],
  'member.color': ['m WREN color'],
  'member.birthday': ['m WREN birthday'],
  'member.avatar': ['m WREN avatar'],
  'member.proxyavatar': ['m WREN proxyavatar'],
  'member.serveravatar': ['m WREN serveravatar'],
  'member.banner': ['m WREN banner'],
  'member.proxy': ['m WREN proxy'],
  // The private member has the same tag, and the command asks first.
  'member.proxy.set': ['m WREN proxy set v:text'],
  'member.proxy.add': ['m WREN proxy add v:text'],
  'member.proxy.remove': [],
  'member.proxy.clear': [],
  'member.autoproxy': ['m WREN autoproxy'],
  'member.keepproxy': ['m WREN keepproxy'],
  'member.serverkeepproxy': ['m WREN serverkeepproxy'],
  'member.tts': ['m WREN tts'],
  'member.group': ['m WREN group'],
  'member.group.add': [],
  'member.group.remove': [],
  'member.privacy': ['m WREN privacy'],
  'member.public': [],
  'member.private': [],
  'member.delete': [],
  'group.new': [],
  'group.list': ['g list', 'g list full'],
  'group.show': ['g KEEPERS'],
  'group.id': ['g KEEPERS id'],
  'group.name': ['g KEEPERS name'],
  'group.displayname': ['g KEEPERS displayname'],
  'group.description': ['g KEEPERS description', 'g KEEPERS desc r'],
  'group.icon': ['g KEEPERS icon'],
  'group.banner': ['g KEEPERS banner'],
  'group.color': ['g KEEPERS color'],
  'group.privacy': ['g KEEPERS privacy'],
  'group.public': [],
  'group.private': [],
  'group.delete': [],
  'group.add': [],
  'group.remove': [],
  'group.members': ['g KEEPERS list', 'g KEEPERS list full -by-last-fronted'],
  'group.random': Array(4).fill('g KEEPERS random'),
  'group.frontpercent': ['g KEEPERS frontpercent'],
  random: [...Array(4).fill('random'), ...Array(4).fill('random -group')],
  'switch.log': [],
  'switch.out': [],
  'switch.edit': [],
  'switch.edit.out': [],
  'switch.copy': [],
  'switch.move': ['sw move 1h'],
  'switch.delete': ['sw delete'],
  'switch.delete.all': ['sw delete all'],
  autoproxy: ['autoproxy'],
  config: ['config'],
  serverconfig: ['serverconfig'],
  'serverconfig.old': [],
  link: [],
  unlink: ['unlink'],
  linkcode: [],
  message: ['message LINK'],
  edit: [],
  x: [],
  reproxy: [],
  delete: [],
  import: ['import'],
  export: ['export'],
  token: [],
  'token.refresh': [],
  dashboard: [],
  'debug.permissions': ['debug permissions'],
  'debug.proxy': ['debug proxy LINK'],
  help: ['help'],
  commands: ['commands'],
  explain: ['explain'],
  invite: ['invite'],
  stats: ['stats'],
}

/** Creates a system with a private member in front, a private group, and private descriptions. */
async function newSecrets() {
  const scene = await chat.newScene()
  const { owner, system, guild } = scene
  const create = async (command: string) => {
    const { text } = await owner.say(command)
    return /ID is ``?([a-z]{5,6})``?/.exec(text)?.[1] ?? ''
  }
  const wren = (await owner.say('pk;m Wren id')).text.replaceAll('`', '')
  await create('pk;m new Veiledbird')
  const keepers = await create('pk;g new Keepers')
  await create('pk;g new Veiledgroup')
  for (const command of [
    `pk;s description ${TEXT}`,
    `pk;m Wren description ${TEXT}`,
    `pk;m Veiledbird description ${TEXT}`,
    `pk;g Keepers description ${TEXT}`,
    `pk;g Veiledgroup description ${TEXT}`,
    'pk;s privacy description private',
    'pk;m Wren privacy description private',
    'pk;g Keepers privacy description private',
    'pk;m Wren proxy w:text',
    'pk;m Veiledbird proxy v:text',
    'pk;g Keepers add Wren Veiledbird',
    'pk;g Veiledgroup add Wren Veiledbird',
    'pk;switch Veiledbird Wren',
    'pk;autoproxy Veiledbird',
    'pk;m Veiledbird private',
    'pk;g Veiledgroup private',
  ]) {
    const { text } = await owner.say(command)
    expect(text, command).toContain('✅')
  }
  const { id } = await chat.sendProxied(owner.id, guild.channelId, 'w:hello')
  const link = `https://discord.com/channels/${guild.id}/${guild.channelId}/${id}`
  const ids = { SYSTEM: system.hid, WREN: wren, KEEPERS: keepers, LINK: link }
  const fillIn = (text: string) =>
    Object.entries(ids).reduce((filled, [name, value]) => filled.replaceAll(name, value), text)
  return { ...scene, fillIn }
}

const allReads = Object.values(reads).flat()
type Secrets = Awaited<ReturnType<typeof newSecrets>>

/** Says each line, and returns those whose answer contains one of the texts. */
async function findDisclosing(
  { fillIn, ...scene }: Secrets,
  by: 'owner' | 'other' | 'guest',
  lines: readonly string[],
  texts: readonly string[],
  options: { inDirect?: boolean } = {},
): Promise<string[]> {
  const found: string[] = []
  for (const line of lines) {
    const { text } = await scene[by].say(`pk;${fillIn(line)}`, options)
    if (texts.some((secret) => text.includes(secret))) found.push(line)
  }
  return found
}

describe('no command discloses in a channel', () => {
  test('private names of the own system', async () => {
    expect(await findDisclosing(await newSecrets(), 'owner', allReads, NAMES)).toEqual([])
  })

  test('anything private if private information is not shown', async () => {
    const secrets = await newSecrets()
    await secrets.owner.say('pk;config show private off')
    const found = await findDisclosing(secrets, 'owner', allReads, [...NAMES, TEXT])
    expect(found).toEqual([])
  })

  test('anything private of another system', async () => {
    const found = await findDisclosing(await newSecrets(), 'other', allReads, [...NAMES, TEXT])
    expect(found).toEqual([])
  })

  const uses: [command: string, options: (fillIn: Secrets['fillIn']) => SlashOptions][] = [
    ['system info', () => ({})],
    ['member info', (fillIn) => ({ member: fillIn('WREN') })],
    ['member list', () => ({})],
    ['group info', (fillIn) => ({ group: fillIn('KEEPERS') })],
    ['group members', (fillIn) => ({ group: fillIn('KEEPERS') })],
    ['group list', () => ({})],
    ['front now', () => ({})],
  ]
  test('anything private by a slash command whose answer is public', async () => {
    const { owner, fillIn } = await newSecrets()
    for (const [command, options] of uses) {
      const { text, isPrivate } = await owner.use(command, { ...options(fillIn), public: true })
      expect([command, isPrivate]).toEqual([command, false])
      for (const secret of [...NAMES, TEXT]) expect(text, command).not.toContain(secret)
    }
  })

  test('names of private fronters that a switch keeps', async () => {
    const { owner } = await newSecrets()
    await owner.say('pk;m new Finch')
    const { text } = await owner.say('pk;sw edit Finch -append')
    expect(text).toBe(
      '✅ Switch changed. Now fronting: Private member, Wren, and Finch. ' +
        'Before: Private member and Wren.',
    )
    expect((await owner.say('pk;sw Veiledbird')).text).toContain('Veiledbird')
  })
})

/** Commands that name private members or groups to their owner where nobody else reads the answer. */
const naming = [
  's SYSTEM',
  's SYSTEM fronter',
  's SYSTEM fronthistory',
  's SYSTEM frontpercent',
  'm WREN',
  'm WREN group',
  'g KEEPERS frontpercent',
]
const describing = ['s SYSTEM', 'm WREN', 'g KEEPERS', 'm WREN description']

describe('commands show what is private', () => {
  test('to the owner in a direct message', async () => {
    const secrets = await newSecrets()
    const direct = { inDirect: true }
    expect(await findDisclosing(secrets, 'owner', naming, NAMES, direct)).toEqual(naming)
    expect(await findDisclosing(secrets, 'owner', describing, [TEXT], direct)).toEqual(describing)
    for (const by of ['other', 'guest'] as const) {
      const found = await findDisclosing(secrets, by, naming, [...NAMES, TEXT], direct)
      expect(found).toEqual([])
    }
  })

  test('to the owner in a channel with -private, but to no other account', async () => {
    const secrets = await newSecrets()
    await secrets.owner.say('pk;config show private off')
    const flagged = [...naming, ...describing, 'autoproxy'].map((line) => `${line} -private`)
    const found = await findDisclosing(secrets, 'owner', flagged, [...NAMES, TEXT])
    expect(found).toEqual(flagged)
    expect(await findDisclosing(secrets, 'other', flagged, [...NAMES, TEXT])).toEqual([])
  })

  test('to the owner in lists with -all, but to no other account', async () => {
    const secrets = await newSecrets()
    const lists = ['s SYSTEM list', 's SYSTEM groups', 'g KEEPERS list', 'm WREN group']
    const flagged = lists.map((line) => `${line} -all`)
    expect(await findDisclosing(secrets, 'owner', flagged, NAMES)).toEqual(flagged)
    expect(await findDisclosing(secrets, 'other', flagged, NAMES)).toEqual([])
  })
})
