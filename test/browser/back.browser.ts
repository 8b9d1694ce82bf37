import type { Page } from 'playwright-core'
import { expect, test } from '../tools/test'
import { expectAccessible, startBrowser, waitForClosedSheet, waitForTrue } from './tools/browser'
import { shareTestServer } from './tools/testServer'
import { describeDashboard } from './tools/testSystem'

/** The browser's Back with open sheets and unsaved changes. */
const browser = await startBrowser()
const testServer = await shareTestServer()
const { address } = testServer.server

/** Expects that Back leads to this page, which a leftover entry of a sheet would prevent. */
async function expectBackTo(page: Page, hash: string): Promise<void> {
  await waitForClosedSheet(page)
  await page.evaluate('history.back()')
  await page.waitForURL(`${address}/#/${hash}`)
}

describeDashboard(browser, testServer, ({ system, openNow }) => {
  const openList = async () => {
    await system.setSwitches([5, 'Wren'], [3, 'Iris'])
    const visitor = await openNow()
    const { page } = visitor
    await page.goto(`${address}/#/members`)
    await page.getByRole('button', { name: 'Add a member' }).waitFor()
    await page.goto(`${address}/#/history/list`)
    await page.getByRole('link', { name: 'Month' }).waitFor()
    return visitor
  }
  const dialog = (page: Page) => page.getByRole('dialog')

  test('Back closes a sheet and keeps the page', async () => {
    const visitor = await openList()
    const { page } = visitor
    const edit = page.getByRole('button', { name: /^Edit switch/ }).first()
    await edit.click()
    await dialog(page).waitFor()
    await page.evaluate('history.back()')
    await dialog(page).waitFor({ state: 'detached' })
    expect(page.url()).toEndWith('#/history/list')
    await waitForTrue(
      page,
      'document.activeElement.getAttribute("aria-label")?.includes("Edit switch")',
    )
    // A sheet that was closed otherwise leaves nothing in the history.
    await edit.click()
    await dialog(page).getByRole('button', { name: 'Close' }).click()
    await dialog(page).waitFor({ state: 'detached' })
    await expectBackTo(page, 'members')
  })

  test('opens a page whose link is followed before the entry of a closed sheet is left', async () => {
    const { page } = await openList()
    await page.goto(`${address}/#/members`)
    await page.getByRole('button', { name: 'Add a member' }).click()
    await dialog(page).waitFor()
    await page.evaluate(`{
      const go = history.go.bind(history)
      history.go = (delta) => {
        history.go = go
        go(delta)
        document.querySelector('a[href="#/more"]').click()
      }
    }`)
    await dialog(page).getByRole('button', { name: 'Close' }).click()
    await page.getByRole('heading', { name: 'More', exact: true }).waitFor()
    expect(page.url()).toEndWith('#/more')
    await expectBackTo(page, 'members')
    await expectBackTo(page, 'history/list')
  })

  test('Back closes a sheet of a page whose address was entered twice', async () => {
    const { page } = await openList()
    await page.goto(`${address}/#/members`)
    const add = page.getByRole('button', { name: 'Add a member' })
    await add.waitFor()
    await page.goto(`${address}/#/members`)
    await add.click()
    await dialog(page).getByRole('button', { name: 'Close' }).click()
    await waitForClosedSheet(page)
    await add.click()
    await waitForTrue(page, 'history.state?.isSheet === true')
    await page.evaluate('history.back()')
    await dialog(page).waitFor({ state: 'detached' })
    expect(page.url()).toEndWith('#/members')
  })

  test('Back asks before it drops changes of a sheet', async () => {
    const visitor = await openList()
    const { page } = visitor
    await page
      .getByRole('button', { name: /^Edit switch/ })
      .first()
      .click()
    await page.getByRole('button', { name: 'Remove Iris' }).click()
    await page.evaluate('history.back()')
    await page.getByRole('heading', { name: 'Leave without saving?' }).waitFor()
    await expectAccessible(visitor)
    await page.getByRole('button', { name: 'Stay' }).click()
    await dialog(page).getByText('Nobody', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('heading', { name: 'Leave without saving?' }).waitFor()
    await page.keyboard.press('Escape')
    await dialog(page).getByRole('button', { name: 'Save' }).waitFor()
    await dialog(page).getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Leave' }).click()
    await dialog(page).waitFor({ state: 'detached' })
    expect((await system.history())[0]?.names).toEqual(['Iris'])
    await expectBackTo(page, 'members')
  })

  test('Back closes the question about unsaved changes of a form, and keeps them', async () => {
    const { page } = await openList()
    const id = system.idOf('Iris')
    await page.goto(`${address}/#/members/${id}`)
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Pronouns').fill('xe/xem')
    await page.evaluate('history.back()')
    await page.getByRole('heading', { name: 'Leave without saving?' }).waitFor()
    await page.evaluate('history.back()')
    await dialog(page).waitFor({ state: 'detached' })
    expect(page.url()).toEndWith(`#/members/${id}/edit`)
    expect(await page.getByLabel('Pronouns').inputValue()).toBe('xe/xem')
    await page.evaluate('history.back()')
    await page.getByRole('button', { name: 'Leave' }).click()
    await page.waitForURL(`${address}/#/members/${id}`)
  })

  test('Back skips a page that was deleted in a sheet', async () => {
    const { page } = await openList()
    const { id } = await system.ask<{ id: string }>('POST /v2/members', { name: 'Fern' })
    await page.goto(`${address}/#/members/${id}/edit`)
    await page.getByRole('button', { name: 'Delete' }).click()
    await dialog(page).getByRole('textbox').fill('Fern')
    await dialog(page).getByRole('button', { name: 'Delete' }).click()
    await page.waitForURL(`${address}/#/members`)
    await dialog(page).waitFor({ state: 'detached' })
    await expectBackTo(page, 'history/list')
  })
})
