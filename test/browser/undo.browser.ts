import { expect, test } from '../tools/test'
import { expectAccessible, sizes, startBrowser, waitForDraw, waitForTrue } from './tools/browser'
import { shareTestServer } from './tools/testServer'
import { describeDashboard } from './tools/testSystem'

/** Undo of a switch: on other pages, after a reload, by keyboard. */
const browser = await startBrowser()
const testServer = await shareTestServer()
const { address } = testServer.server

describeDashboard(browser, testServer, ({ system, openNow }) => {
  const names = async () => (await system.history()).map(({ names }) => names)
  const switchToMoss = async () => {
    await system.setSwitches([5, 'Wren'])
    const visitor = await openNow()
    await visitor.page.getByText('Live').waitFor({ state: 'attached' })
    await visitor.page.clock.install()
    await visitor.page.getByRole('button', { name: 'Moss', exact: true }).click()
    await visitor.page.getByRole('button', { name: 'Switch to Moss' }).click()
    await visitor.page.getByText('Moss is here now.').first().waitFor()
    return visitor
  }

  test('Undo works on a page with a bar of its own', async () => {
    const visitor = await switchToMoss()
    const { page } = visitor
    await page.goto(`${address}/#/members/${system.idOf('Iris')}/edit`)
    await page.getByRole('button', { name: 'Save' }).waitFor()
    // The notice stays while Undo has the focus.
    await page.getByRole('button', { name: 'Undo' }).focus()
    await expectAccessible(visitor)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.locator('.toast').waitFor({ state: 'detached' })
    await waitForTrue(page, 'document.querySelector("#said").textContent === "Undone."')
    expect(await names()).toEqual([['Wren']])
  })

  test('Undo works after a reload while it was shown, and is gone after a logout', async () => {
    const { page } = await switchToMoss()
    await page.reload()
    await page.getByText('Moss is here now.').first().waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.locator('.here-now').getByText('Wren').waitFor()
    expect(await names()).toEqual([['Wren']])
    await page.getByRole('button', { name: 'Moss', exact: true }).click()
    await page.getByRole('button', { name: 'Switch to Moss' }).click()
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    await system.ask('DELETE /web/sessions')
    await page.reload()
    await page.getByLabel('Token').waitFor()
    expect(await page.evaluate('sessionStorage.length')).toBe(0)
  })

  test('Undo is the next stop by keyboard, stays while it has the focus, and has a key', async () => {
    const { page } = await switchToMoss()
    await page.setViewportSize(sizes.desk)
    const undo = page.getByRole('button', { name: 'Undo' })
    await undo.waitFor()
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Undo')
    await page.keyboard.press('Shift+Tab')
    expect(await page.evaluate('document.activeElement.id')).toBe('here-now')
    await undo.focus()
    await waitForDraw(page)
    await page.clock.fastForward(10_500)
    expect(await undo.isVisible()).toBe(true)
    await page.keyboard.press('Enter')
    await page.locator('.here-now').getByText('Wren').waitFor()
    expect(await names()).toEqual([['Wren']])

    await page.getByRole('button', { name: 'Juno', exact: true }).click()
    await page.getByRole('button', { name: 'Switch to Juno' }).click()
    await undo.waitFor()
    await page.keyboard.press('?')
    await page.locator('.keys').getByText('Undo').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await page.keyboard.press('u')
    await page.locator('.here-now').getByText('Wren').waitFor()
    expect(await names()).toEqual([['Wren']])
  })

  test('Undo of an earlier switch is not offered while another one is being logged', async () => {
    const { page } = await switchToMoss()
    const undo = page.getByRole('button', { name: 'Undo' })
    await undo.waitFor()
    const answer = Promise.withResolvers<void>()
    await page.route('**/switches', async (route) => {
      await answer.promise
      await route.continue()
    })
    await page.getByRole('button', { name: 'Juno', exact: true }).click()
    await page.getByRole('button', { name: 'Switch to Juno' }).click()
    await page.locator('.here-now').getByText('Juno').waitFor()
    expect(await undo.isVisible()).toBe(false)
    answer.resolve()
    await undo.click()
    await page.locator('.here-now').getByText('Moss').waitFor()
    expect(await names()).toEqual([['Moss'], ['Wren']])
  })

  test('Undo is done although its notice ends before the code is loaded', async () => {
    const { page, context } = await switchToMoss()
    const requested = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    await context.route('**/assets/undo-*.js', async (route) => {
      requested.resolve()
      await held.promise
      await route.continue()
    })
    // Where the pointer does not keep the notice.
    await page.mouse.move(0, 0)
    await page.keyboard.press('u')
    await requested.promise
    await page.clock.fastForward(10_500)
    await page.locator('.toast').waitFor({ state: 'detached' })
    held.resolve()
    await page.locator('.here-now').getByText('Wren').waitFor()
    expect(await names()).toEqual([['Wren']])
  })

  test('the label of Undo stays on one line beside a long text', async () => {
    await system.setSwitches([5, 'Wren'])
    const { page } = await openNow()
    await page.goto(`${address}/#/appearance`)
    await page.getByRole('button', { name: 'Deutsch' }).click()
    await page.goto(`${address}/#/now`)
    await page.setViewportSize({ width: 320, height: 700 })
    for (const name of ['Moss', 'Iris', 'Juno', 'Atlas'])
      await page.getByRole('button', { name, exact: true }).click()
    await page.getByRole('button', { name: /^Wechsel zu/ }).click()
    await page.getByRole('button', { name: 'Rückgängig' }).waitFor()
    const lines = await page.evaluate(`(() => {
      const range = document.createRange()
      range.selectNodeContents(document.querySelector('.toast button'))
      return range.getClientRects().length
    })()`)
    expect(lines).toBe(1)
  })

  test('saving a changed switch can be undone', async () => {
    await system.setSwitches([5, 'Wren'], [3, 'Iris'])
    const before = await system.history()
    const { page } = await openNow()
    await page.goto(`${address}/#/history/list`)
    await page
      .getByRole('button', { name: /^Edit switch/ })
      .first()
      .click()
    await page.getByRole('button', { name: 'Add someone' }).click()
    await page.getByRole('button', { name: 'Moss', exact: true }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').first().waitFor()
    expect((await names())[0]).toEqual(['Iris', 'Moss'])
    await page.getByRole('button', { name: 'Undo' }).click()
    await waitForTrue(page, 'document.querySelector("#said").textContent === "Undone."')
    expect(await system.history()).toEqual(before)
    expect(await page.locator('.switches .name').allTextContents()).toEqual(['Iris', 'Wren'])
  })
})
