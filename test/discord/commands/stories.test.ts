import { expect, test } from '../../tools/test'
import { type Reply, type Scene, type SlashOptions, type Speaker, startChat } from './discordChat'

const chat = await startChat({ PUBLIC_URL: 'https://multitude.example' })
const { users } = chat

type Part = string | RegExp

/** One exchange of a story, and parts that the answer must contain. */
type Exchange =
  | readonly [says: string, ...answers: Part[]]
  | {
      readonly use?: string
      readonly with?: SlashOptions
      readonly press?: string
      readonly answer: Part
      readonly direct?: Part
    }
  /** A message that appears as a member with this text. */
  | { readonly writes: string; readonly as: string; readonly shows: string }
  | {
      readonly says: string
      readonly files: { filename: string; contentType: string; text: string }[]
      readonly answer: Part
    }
  /** A command that changes the latest proxied message, and is deleted. */
  | { readonly edits: string; readonly shows: string }
  /** A reaction to the latest proxied message, and the direct message that follows. */
  | { readonly reacts: string; readonly direct: Part }

async function tell(scene: Scene, speaker: Speaker, story: readonly Exchange[]): Promise<void> {
  const { channelId } = scene.guild
  let last: Reply | null = null
  const check = (what: string, text: string, part: Part) =>
    part instanceof RegExp
      ? expect(text, `${what}\n→ ${text}`).toMatch(part)
      : expect(text, `${what}\n→ ${text}`).toContain(part)
  for (const step of story) {
    if (Array.isArray(step)) {
      const [says, ...answers] = step as readonly [string, ...Part[]]
      last = await speaker.say(says)
      for (const part of answers) check(says, last.text, part)
      continue
    }
    const given = step as Exclude<Exchange, readonly unknown[]>
    if ('writes' in given) {
      const sent = await users.sendMessage({ userId: speaker.id, channelId, content: given.writes })
      const all = await chat.untilMessages(channelId, (messages) =>
        messages.some(
          (message) => message.author.isWebhook && BigInt(message.id) > BigInt(sent.id),
        ),
      )
      const proxied = all.find(
        (message) => message.author.isWebhook && BigInt(message.id) > BigInt(sent.id),
      )
      expect([proxied?.author.name, proxied?.content]).toEqual([given.as, given.shows])
    } else if ('edits' in given) {
      await users.sendMessage({ userId: speaker.id, channelId, content: given.edits })
      await chat.untilMessages(
        channelId,
        (messages) =>
          messages.some(({ content, author }) => author.isWebhook && content === given.shows) &&
          messages.every(({ content }) => content !== given.edits),
      )
    } else if ('reacts' in given) {
      const all = await users.messages({ channelId })
      const messageId = all.findLast(({ author }) => author.isWebhook)?.id ?? ''
      const before = (await users.directMessages({ userId: speaker.id })).length
      await users.react({ channelId, messageId, userId: speaker.id, emoji: given.reacts })
      const direct = await users.until(
        () => users.directMessages({ userId: speaker.id }),
        ({ length }) => length > before,
      )
      const texts = JSON.stringify(direct.slice(before))
      check(given.reacts, texts, given.direct)
    } else if ('files' in given) {
      last = await speaker.say(given.says, { files: given.files })
      check(given.says, last.text, given.answer)
    } else {
      const pressed: Reply | null = last
      if (given.press !== undefined && !pressed) throw new Error('nothing to press')
      last =
        given.press !== undefined && pressed
          ? await speaker.press(given.press, pressed)
          : await speaker.use(given.use ?? '', given.with)
      check(given.press ?? given.use ?? '', last.text, given.answer)
    }
  }
}

const picture = [{ filename: 'robin.png', contentType: 'image/png', text: 'pixels' }]

test('a newcomer’s first evening', async () => {
  const scene = await chat.newScene()
  const newcomer: readonly Exchange[] = [
    ['pk;', '`pk;system new` creates your system'],
    ['pk;hlep', 'Did you mean `pk;help`?'],
    ['pk;help', '`pk;member new Wren` adds a member', '`pk;import`'],
    ['pk;explain', 'plural systems'],
    ['pk;system', '❌', '`pk;system new`'],
    ['pk;m new Robin', '❌', '`pk;system new`'],
    ['system new', '✅ Your system was created', 'public', '`pk;token`', '`pk;member new <name>`'],
    ['pk;system new The Nest', '❌ Your account already has a system'],
    ['pk;system name The Nest', '✅', 'The Nest'],
    ['pk;system', 'The Nest', 'Members: 0'],
    ['pk;member new Robin', '✅ Member Robin was created'],
    ['pk;member Robin', 'Robin', 'Messages: 0'],
    ['pk;m Robin proxy r:text', '✅', '``r:text``'],
    { writes: 'r:hello', as: 'Robin', shows: 'hello' },
    ['pk;m new Blue Jay', '✅ Member Blue Jay', 'quotes'],
    ['pk;m Blue Jay', '**Blue Jay**', 'quotes'],
    ['pk;m "Blue Jay" proxy b:text', '✅', '``b:text``'],
    { writes: 'b:me too', as: 'Blue Jay', shows: 'me too' },
    ['pk;m Robin color red', '❌', 'six'],
    ['pk;m Robin color #ff8800', '✅', '#ff8800'],
    { says: 'pk;m Robin avatar', files: picture, answer: 'https://multitude.example/pictures/' },
    ['pk;m Robin pronouns they/them', '✅', 'they/them'],
    ['pk;m Robin desc I like mornings.', '✅', 'I like mornings.'],
    ['pk;m Robin birthday 1999-13-40', '❌', 'not a date'],
    ['pk;m Robin birthday May 4', '✅', 'May 4'],
    ['pk;m Robni', 'Did you mean **Robin**?'],
    ['pk;system tag | Nest', '✅', 'Nest'],
    { writes: 'r:tagged', as: 'Robin | Nest', shows: 'tagged' },
    { edits: 'pk;edit tagged and edited', shows: 'tagged and edited' },
    { reacts: '❓', direct: 'Robin' },
    ['pk;ap latch', '✅ Autoproxy'],
    { writes: 'r:latched', as: 'Robin | Nest', shows: 'latched' },
    { writes: 'no tags', as: 'Robin | Nest', shows: 'no tags' },
    ['pk;ap off', '✅', 'off'],
    ['pk;switch Robin', '✅ Switch logged', 'Robin'],
    ['pk;switch Robin', '❌ Robin is already fronting'],
    ['pk;front', 'Robin'],
    ['pk;list', 'Blue Jay', 'Robin'],
    ['pk;config tz Berlin', '`Europe/Berlin`', 'Is that your time?'],
    { press: 'Yes', answer: '✅ timezone: ``Europe/Berlin``' },
    ['pk;m Robin privacy description private', '✅', 'private'],
    ['pk;m Robin delete', 'To delete Robin'],
    ['pk;token', 'Check your direct messages'],
    ['pk;export', 'Check your direct messages'],
    { use: 'member info', with: { member: 'Robin' }, answer: 'I like mornings.' },
    ['pk;switch out', '✅ Switch-out logged'],
  ]
  await tell(scene, scene.guest, newcomer)
})

test('a moderator’s first day', async () => {
  const scene = await chat.newScene()
  const { guild } = scene
  const moderator: readonly Exchange[] = [
    ['pk;help moderation', 'no topic'],
    ['pk;help server', '`pk;serverconfig`'],
    ['pk;debug permissions', '1 more channel that you cannot see'],
    ['pk;serverconfig', 'log channel: none', 'say: off'],
    ['pk;scfg log channel #nowhere', '❌'],
    [`pk;scfg log channel <#${guild.other}>`, '✅', guild.other],
    ['pk;log', '`pk;serverconfig log channel`'],
    [`pk;scfg proxy blacklist add <#${guild.hidden}>`, '✅', guild.hidden],
    ['pk;scfg proxy blacklist', guild.hidden],
    [`pk;scfg proxy blacklist remove <#${guild.hidden}>`, '✅', 'none'],
    [`pk;blacklist add <#${guild.hidden}>`, '`pk;serverconfig proxy blacklist`'],
    ['pk;scfg require tag on', '✅', 'on'],
    ['pk;scfg require tag', 'on'],
    ['pk;scfg suppress notifications on', '✅', 'on'],
    ['pk;scfg say on', '✅', 'on'],
    ['pk;scfg cleanup on', '❌', '`pk;serverconfig`'],
    ['pk;logclean on', '`GET /v2/messages/{original}`'],
    ['pk;scfg invalid command error off', '✅', 'off'],
    ['pk;scfg log channel -clear', '✅', 'none'],
    { use: 'server show', answer: 'require tag: on' },
    { use: 'server set', with: { setting: 'say', value: 'off' }, answer: '✅' },
    [`pk;s ${scene.owner.id}`, 'Lantern Hill'],
    ['pk;invite', 'permissions='],
    ['pk;stats', '1 shard'],
    ['pk;system list', '❌', '`pk;system new`'],
  ]
  await tell(scene, scene.manager, moderator)
})
