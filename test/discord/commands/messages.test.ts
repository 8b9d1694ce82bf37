import { insertMessage } from '../../../src/store/proxy/messageRows'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'
import { CHANNEL, createChat, GUILD, HIDDEN, newMessageId } from './chat'

const testApp = createTestApp()
const chat = createChat(testApp)

/** Creates a system with a proxied message of its member Wren. */
async function createMessage(
  values: { channel?: string; content?: string; isVoice?: boolean; minutesAgo?: number } = {},
) {
  const { channel = CHANNEL, content = 'hello world', isVoice = false, minutesAgo = 0 } = values
  const owner = await chat.newSystem('Lantern Hill')
  await owner.say('pk;member new Wren')
  await owner.say('pk;member new Finch')
  const id = newMessageId()
  const now = testApp.deps.now() - minutesAgo * 60_000_000
  await testApp.deps.transact({ system: owner.system.id }, async (tx) => {
    const { findMember } = await import('../../../src/service/members/members')
    const list = await testApp.ask<{ id: string; name: string }[]>('GET /v2/systems/@me/members', {
      as: owner.system,
    })
    const wren = await findMember(tx, list.json.find(({ name }) => name === 'Wren')?.id ?? '')
    await insertMessage(tx, {
      id,
      original: newMessageId(),
      sender: owner.account,
      channel,
      guild: GUILD,
      system_id: owner.system.id,
      member_id: wren?.id ?? null,
      timestamp: now,
    })
  })
  chat.discord.messages.set(id, {
    guildId: GUILD,
    channelId: channel,
    messageId: id,
    content,
    hasFiles: false,
    isVoice,
    sentAt: now / 1000,
  })
  return { owner, id, link: `https://discord.com/channels/${GUILD}/${channel}/${id}` }
}

const lastDone = () => chat.discord.done.at(-1)

describe('proxied messages', () => {
  test('are edited, by link, by reply, or the last one', async () => {
    const { owner, id, link } = await createMessage()
    const edited = await owner.say('pk;edit new text\nsecond line')
    expect(edited).toMatchObject({ text: '', deletesCommand: true })
    expect(lastDone()).toBe(`edit ${id}: new text\nsecond line`)
    await owner.say(`pk;e ${link} by link`)
    expect(lastDone()).toBe(`edit ${id}: by link`)
    await owner.say('pk;edit by reply', { replyTo: link })
    expect(lastDone()).toBe(`edit ${id}: by reply`)
    await owner.say('pk;edit -append more')
    expect(lastDone()).toBe(`edit ${id}: hello world more`)
    await owner.say('pk;edit -prepend -nospace more')
    expect(lastDone()).toBe(`edit ${id}: morehello world`)
    await owner.say('pk;x s|o|0|g')
    expect(lastDone()).toBe(`edit ${id}: hell0 w0rld`)
    await owner.say('pk;edit -regex s/(h)(.)/$1-$2/')
    expect(lastDone()).toBe(`edit ${id}: h-ello world`)
    expect((await owner.say(`pk;edit ${link} in direct`, { inDirect: true })).text).toBe('✅')
  })

  test('are not edited if that is not possible', async () => {
    const { owner, link } = await createMessage()
    const before = chat.discord.done.length
    expect((await owner.say('pk;edit')).text).toContain('❌ Write the new text')
    expect((await owner.say(`pk;edit ${'x'.repeat(2001)}`)).text).toContain('2001 characters')
    expect((await owner.say('pk;x s|hello world||')).text).toContain('would be empty')
    expect((await owner.say('pk;x nonsense')).text).toContain('s|search|replacement|flags')
    expect((await owner.say('pk;x s|(|x|')).text).toContain('s|search|replacement|flags')
    const voice = await createMessage({ isVoice: true })
    expect((await voice.owner.say('pk;edit x')).text).toContain('Voice messages')
    const stranger = await chat.newSystem()
    expect((await stranger.say(`pk;edit ${link} x`)).text).toContain(
      '❌ That is not a message of your system',
    )
    expect((await stranger.say('pk;edit x')).text).toContain(
      'no proxied message of the last ten minutes',
    )
    expect((await chat.newcomer().say(`pk;edit ${link} x`)).text).toContain(
      '❌ That is not a message',
    )
    const hidden = await createMessage({ channel: HIDDEN })
    expect((await hidden.owner.say(`pk;edit ${hidden.link} x`)).text).toContain(
      '❌ You may not view',
    )
    expect(chat.discord.done.length).toBe(before)
  })

  test('are deleted and reproxied by their own system only', async () => {
    const { owner, id, link } = await createMessage()
    const stranger = await chat.newSystem()
    expect((await stranger.say(`pk;delete ${link}`)).text).toContain('❌ That is not a message')
    expect((await stranger.say(`pk;msg ${link} -delete`)).text).toContain(
      '❌ That is not a message',
    )
    await owner.say('pk;reproxy Finch')
    expect(lastDone()).toMatch(new RegExp(`^reproxy ${id} as [a-z]{6}$`))
    await owner.say(`pk;rp ${link} Finch`)
    expect(lastDone()).toContain(`reproxy ${id}`)
    expect((await owner.say('pk;rp nobody')).text).toContain('❌ I find no member called')
    expect((await owner.say(`pk;msg ${link} -delete`)).deletesCommand).toBe(true)
    expect(lastDone()).toBe(`delete ${id}`)
    await owner.say('pk;del', { replyTo: link })
    expect(lastDone()).toBe(`delete ${id}`)
    const old = await createMessage({ minutesAgo: 2 })
    await createMessage()
    expect((await old.owner.say('pk;rp Finch')).text).toContain('❌ Only the latest message')
  })

  test('are looked up as a stranger sees them, and their text only where the asker may read it', async () => {
    const { owner, id, link } = await createMessage({ content: 'MARKER-TEXT' })
    await owner.say('pk;m Wren desc MARKER-DESC')
    await owner.say('pk;m Wren privacy description private')
    const stranger = chat.newcomer()
    const shown = await stranger.say(`pk;message ${link}`)
    expect(shown.text).toContain('Wren')
    expect(shown.text).toContain(`<@${owner.account}>`)
    expect(shown.text).toContain('MARKER-TEXT')
    expect(shown.text).not.toContain('MARKER-DESC')
    expect((await owner.say(`pk;msg ${id}`)).text).toContain('MARKER-DESC')
    expect((await stranger.say('pk;msg', { replyTo: link })).text).toContain('Wren')
    expect((await stranger.say('pk;msg')).text).toContain('❌ Name a message')
    expect((await stranger.say('pk;msg 123456789012345678')).text).toContain('❌ I did not proxy')
    expect((await stranger.say('pk;msg nonsense')).text).toContain('❌ That is not a link')
    expect((await stranger.say(`pk;msg ${link} -author`)).text).toContain(owner.account)
    const hidden = await createMessage({ channel: HIDDEN, content: 'MARKER-HIDDEN' })
    expect((await stranger.say(`pk;msg ${hidden.link}`)).text).not.toContain('MARKER-HIDDEN')
  })

  test('are explained to their author only', async () => {
    const { owner } = await createMessage()
    expect((await owner.say('pk;debug proxy 123456789012345677')).text).toContain(
      `reason for ${owner.account}`,
    )
    expect((await owner.say('pk;proxycheck 123456789012345678')).text).toContain(
      '❌ I do not know that message',
    )
    expect((await owner.say('pk;debug proxy')).text).toContain('❌ Name a message')
  })
})
