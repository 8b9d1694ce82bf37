import { describe } from '../test'
import { useBot } from './testBot'

const test = await useBot()

describe('a proxied message', () => {
  test('replaces the original', async (bot) => {
    await bot.send('r: hello')
    await bot.expectTexts(['Robin: hello'])
  })
})
