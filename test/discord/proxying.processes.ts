import { describe } from '../tools/test'
import { useBot } from './tools/testBot'

const test = await useBot()

describe('a proxied message', () => {
  test('replaces the original', async (bot) => {
    await bot.send('r: hello')
    await bot.expectTexts(['Robin: hello'])
  })
})
