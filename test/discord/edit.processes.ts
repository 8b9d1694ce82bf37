import { describe, expect } from '../tools/test'
import { useBot } from './tools/testBot'

const test = await useBot()

describe('an edit of a server process is refused', () => {
  test('if the expression takes too long', async (bot) => {
    const text = `${'a'.repeat(40)}!`
    await bot.send('', { content: `r:${text}` })
    await bot.expectTexts([`Robin: ${text}`])
    const { id } = await bot.send('', { content: 'pk;x s|(a+)+$|b|' })
    const all = await bot.untilMessages((seen) => seen.some(({ replyTo }) => replyTo === id))
    const answer = all.find(({ replyTo }) => replyTo === id)
    expect(answer?.content).toStartWith('❌')
    expect(answer?.content).toContain('takes too long')
    expect(all[0]?.content).toBe(text)
  })
})
