import { toSmallerPicture } from '../../src/discord/attachments/pictureLoader'
import { describe, expect, test } from '../tools/test'
import { type Reply, type Scene, startChat } from './commands/discordChat'
import type { FileInput } from './standIn/controlMessages'

const PUBLIC_URL = 'https://multitude.example'
const chat = await startChat({ PUBLIC_URL })
const plain = await startChat()
const { users, discord } = chat
const OWN = /https:\/\/multitude\.example\/pictures\/[\w-]{24}\.webp/
const picture: FileInput = { filename: 'finch.png', text: 'pixels', contentType: 'image/png' }
const withPicture = { files: [picture] }

const isKept = (reply: Reply) => OWN.test(reply.text)

describe('a picture for a field', () => {
  const cases: [title: string, act: (scene: Scene) => Promise<Reply>][] = [
    ['an upload for a member', ({ owner }) => owner.say('pk;m Wren avatar', withPicture)],
    ['an upload for a banner', ({ owner }) => owner.say('pk;m Wren banner', withPicture)],
    ['an upload in this server', ({ owner }) => owner.say('pk;m Wren serveravatar', withPicture)],
    ['an upload for the system', ({ owner }) => owner.say('pk;s avatar', withPicture)],
    ['an avatar of an account', ({ owner, other }) => owner.say(`pk;s avatar <@${other.id}>`)],
    [
      'an upload of a slash command',
      ({ owner }) => owner.use('member avatar', { member: 'Wren', file: picture }),
    ],
  ]
  test.each(cases)('is copied into the store: %s', async (_, act) => {
    const reply = await act(await chat.newScene())
    expect(reply.text).toMatch(OWN)
    expect(reply.text).not.toContain('⚠️')
    const [file = ''] = OWN.exec(reply.text) ?? []
    expect((await chat.ask(`GET ${new URL(file).pathname}`)).status).toBe(200)
  })

  test('is asked for in a small size', async () => {
    const { owner } = await chat.newScene()
    await owner.say('pk;m Wren avatar', withPicture)
    const { url = '' } = (await users.downloads()).at(-1) ?? {}
    expect(url).toMatch(/finch\.png\?.*&width=512&height=512&format=webp$/)
  })

  test('that the media host cannot make small enough stays, with a warning', async () => {
    const { owner } = await chat.newScene()
    await users.setOptions({ scaledPictureBytes: 512 * 1024 + 1 })
    const { text } = await owner.say('pk;m Wren avatar', withPicture)
    await users.setOptions({ scaledPictureBytes: 0 })
    expect(text).toContain(`${discord.cdn}/attachments/`)
    expect(text).toContain(
      '⚠️ If you delete your message, the picture stops working: it is too large',
    )
  })

  test('that Discord does not send stays, with a warning', async () => {
    const { owner } = await chat.newScene()
    await users.breakAttachments({ isBroken: true })
    const { text } = await owner.say('pk;m Wren avatar', withPicture)
    await users.breakAttachments({ isBroken: false })
    expect(text).toContain('⚠️ If you delete your message')
  })

  test('of another origin is not requested', async () => {
    const { owner } = await chat.newScene()
    const foreignUrl = `${discord.foreign}/finch.png`
    const file = { ...picture, foreignUrl }
    const { text } = await owner.say('pk;m Wren avatar', { files: [file] })
    expect(text).toContain('⚠️')
    const origins = (await users.downloads()).map(({ origin }) => origin)
    expect(origins).not.toContain('foreign')
  })

  test('of a new member is its avatar', async () => {
    const { owner } = await chat.newScene()
    expect((await owner.say('pk;m new Finch', withPicture)).text).toContain('✅')
    expect(isKept(await owner.say('pk;m Finch avatar'))).toBe(true)
    const text = { filename: 'notes.txt', text: 'x', contentType: 'text/plain' }
    expect((await owner.say('pk;m new Jay', { files: [text] })).text).toContain('not a picture')
  })
})

describe('an import by the bot', () => {
  /** Imports a file into a new system of the guest, and returns the answer and the direct messages. */
  const importFile = async ({ guest }: Scene, file: object) => {
    const text = JSON.stringify({ version: 2, groups: [], switches: [], members: [], ...file })
    const files = [{ filename: 'system.json', contentType: 'application/json', text }]
    const reply = await guest.press('Import', await guest.say('pk;import', { files }))
    const untilDirect = (part: string) =>
      users.until(
        () => users.directMessages({ userId: guest.id }),
        (all) => all.some(({ content }) => content.includes(part)),
      )
    return { reply, untilDirect }
  }
  const uploaded = async ({ owner, guild }: Scene): Promise<string> => {
    const content = 'a picture'
    const { channelId } = guild
    const sent = await users.sendMessage({ userId: owner.id, channelId, content, ...withPicture })
    return (await users.attachmentUrls({ channelId, messageId: sent.id }))[0] ?? ''
  }

  test('copies the pictures on Discord in the background, and reports to the person', async () => {
    const scene = await chat.newScene()
    const avatar_url = await uploaded(scene)
    const gone = `${discord.cdn}/attachments/1/2/gone.png`
    const elsewhere = 'https://example.org/finch.png'
    const { reply, untilDirect } = await importFile(scene, {
      name: 'Nest',
      avatar_url,
      members: [
        { id: 'mmmmm', name: 'Finch', avatar_url, banner: elsewhere },
        { id: 'nnnnn', name: 'Jay', avatar_url: gone },
      ],
      groups: [{ id: 'ggggg', name: 'Crew', icon: avatar_url, members: ['mmmmm'] }],
    })
    expect(reply.text).toContain('4 pictures are being copied')
    const messages = await untilDirect('pictures of your import')
    expect(messages.at(-1)?.content).toContain('✅ 3 pictures of your import were copied')
    expect(messages.at(-1)?.content).toContain('⚠️ 1 picture was not copied')
    const { guest } = scene
    for (const command of ['pk;s avatar', 'pk;m Finch avatar', 'pk;g Crew icon'])
      expect((await guest.say(command)).text).toMatch(OWN)
    expect((await guest.say('pk;m Jay avatar')).text).toContain(gone)
    expect((await guest.say('pk;m Finch banner')).text).toContain(elsewhere)
    const downloads = await users.downloads()
    expect(downloads.map(({ origin }) => origin)).not.toContain('foreign')
  })

  test('names the fields that changed, and sends the whole report privately', async () => {
    const { reply, untilDirect } = await importFile(await chat.newScene(), {
      timezone: 'Atlantis/Poseidonis',
      members: [{ id: 'ppppp', name: 'Finch', color: 'MARKER-COLOUR' }],
      accounts: ['100000000000000099'],
    })
    for (const part of [
      '2 values were changed',
      '`timezone`',
      '`color`',
      '1 account was not linked',
    ])
      expect(reply.text).toContain(part)
    expect(reply.text).not.toContain('MARKER')
    const messages = await untilDirect('report')
    const [report] = messages.flatMap(({ attachments }) =>
      attachments.map(({ text }) => text ?? ''),
    )
    expect(JSON.parse(report ?? '')).toMatchObject({ dry_run: false, repairs: [{}, {}] })
    expect(report).not.toContain('token')
  })

  test('says no more than its counts if nothing was changed', async () => {
    const { reply } = await importFile(await chat.newScene(), { timezone: 'UTC+05' })
    expect(reply.text).not.toContain('report')
    expect(reply.direct).toBe('')
  })
})

describe('without a public address', () => {
  test('a picture stays where it is, with a warning', async () => {
    const { owner, other } = await plain.newScene()
    const upload = await owner.say('pk;m Wren avatar', withPicture)
    expect(upload.text).toContain('⚠️ If you delete your message')
    expect(upload.text).toContain('PUBLIC_URL')
    expect((await owner.say(`pk;s avatar <@${other.id}>`)).text).toContain('changes its avatar')
    const { text } = await owner.say('pk;m new Finch', withPicture)
    expect(text).toContain('⚠️ If you delete your message')
  })
})

describe('the address of a smaller picture', () => {
  const origins = ['https://cdn.discordapp.com', 'https://media.discordapp.net']
  const cases: [address: string, smaller: string][] = [
    [
      'https://cdn.discordapp.com/attachments/1/2/a.png?ex=1&is=2&hm=3&',
      'https://media.discordapp.net/attachments/1/2/a.png?ex=1&is=2&hm=3&width=512&height=512&format=webp',
    ],
    [
      'https://cdn.discordapp.com/ephemeral-attachments/1/2/a.gif?ex=1',
      'https://media.discordapp.net/ephemeral-attachments/1/2/a.gif?ex=1&width=512&height=512&format=webp',
    ],
    [
      'https://cdn.discordapp.com/avatars/1/abc.png',
      'https://cdn.discordapp.com/avatars/1/abc.webp?size=512',
    ],
    ['https://example.org/attachments/1/2/a.png', 'https://example.org/attachments/1/2/a.png'],
  ]
  test.each(cases)('%s', (address, smaller) => {
    expect(toSmallerPicture(address, origins)).toBe(smaller)
  })
})
