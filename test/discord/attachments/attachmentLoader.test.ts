import type { APIMessage } from 'discord-api-types/v10'
import { createAttachmentLoader } from '../../../src/discord/attachments/attachmentLoader'
import { errorOf } from '../../tools/outcomeOf'
import { describe, expect, test } from '../../tools/test'
import { type TestDiscord, useDiscord } from '../tools/testDiscord'

const start = useDiscord()
const MESSAGES = '/channels/{channel_id}/messages'

/** A user sends files; the bot sends copies of them. Returns what users see of both. */
async function copyFiles(
  { discord, clock, guild, createRest }: TestDiscord,
  files: NonNullable<Parameters<typeof discord.users.sendMessage>[0]['files']>,
) {
  const { channelId, ownerId: userId } = guild
  await discord.users.sendMessage({ userId, channelId, content: '', files })
  const rest = createRest()
  const params = { channel_id: channelId }
  const [original] = await rest.request<APIMessage[]>('GET', MESSAGES, { params })
  const loader = createAttachmentLoader({ clock, origins: [discord.cdn], timeoutMs: 5000 })
  await loader.load(original?.attachments ?? [], (uploads) =>
    rest.request('POST', MESSAGES, { params, body: {}, files: uploads }),
  )
  const messages = await discord.users.messages({ channelId })
  return messages.map(({ attachments }) =>
    attachments.map(({ id: _, contentType, filename, ...rest }) => ({
      ...rest,
      type: contentType.split(';')[0],
      name: filename.replace('SPOILER_', ''),
    })),
  )
}

describe('copied attachments', () => {
  test('have the name, type, description and spoiler of the original', async () => {
    const [original, copy] = await copyFiles(await start(), [
      { filename: 'tea.txt', text: 'tea', description: 'a cup', isSpoiler: true },
      { filename: 'cake.json', text: '{}', contentType: 'application/json' },
    ])
    expect(original).toHaveLength(2)
    expect(copy).toEqual(original ?? [])
  })

  test('are not downloaded from other origins', async () => {
    const scene = await start()
    const foreignUrl = `${scene.discord.foreign}/tea.txt`
    const files = [{ filename: 'tea.txt', text: 'tea', foreignUrl }]
    expect(await errorOf(copyFiles(scene, files))).toMatchObject({ reason: 'origin' })
    const downloads = await scene.discord.users.downloads()
    expect(downloads.filter(({ origin }) => origin === 'foreign')).toEqual([])
  })

  test('whose address has expired are refused', async () => {
    const scene = await start()
    await scene.discord.users.breakAttachments({ isBroken: true })
    const files = [{ filename: 'tea.txt', text: 'tea' }]
    expect(await errorOf(copyFiles(scene, files))).toMatchObject({ reason: 'status' })
  })
})
