import { expect, test } from '../tools/test'
import {
  expectAccessible,
  expectLargeTargets,
  expectNoHorizontalScroll,
  startBrowser,
} from './tools/browser'
import { shareTestServer } from './tools/testServer'
import { describeDashboard } from './tools/testSystem'

const browser = await startBrowser()
const testServer = await shareTestServer()
const { address } = testServer.server

interface Poll {
  id: string
  name: string
  ends: string | null
  options: { id: string; name: string; color: string | null; veto: boolean }[]
  counts: Record<string, number>
  votes: { member: string | null; option: string; comment: string | null }[]
}

const LIST = '/ext/v1/systems/@me/polls'

describeDashboard(browser, testServer, async ({ system, openPath: open }) => {
  await system.setSwitches([5, 'Wren', 'Iris'])
  const uuidOf = async (name: string) =>
    (await system.ask<{ uuid: string }>(`GET /v2/members/${system.idOf(name)}`)).uuid
  const wren = await uuidOf('Wren')
  const create = (poll: object) =>
    system.ask<Poll>(`POST ${LIST}`, {
      name: 'Move the desk?',
      options: [{ name: 'yes', color: '6f9e5e' }, { name: 'no' }, { name: 'never', veto: true }],
      ...poll,
    })
  const get = (id: string) => system.ask<Poll>(`GET /ext/v1/polls/${id}`)
  const voteAs = ({ id, options }: Poll, name: string, at: number) =>
    system.ask(`PUT /ext/v1/polls/${id}/votes/${system.idOf(name)}`, { option: options[at]?.id })
  const clear = async () => {
    for (const { id } of await system.ask<Poll[]>(`GET ${LIST}`))
      await system.ask(`DELETE /ext/v1/polls/${id}`)
  }

  test('poll pages are accessible in light and dark mode', async () => {
    await clear()
    const poll = await create({ about: 'To the **window**.' })
    await voteAs(poll, 'Wren', 0)
    await voteAs(poll, 'Moss', 2)
    const visitor = await open(`chat/poll/${poll.id}`)
    const { page } = visitor
    await page.getByText('Veto by Moss.').waitFor()
    await expectAccessible(visitor, { inDark: true })
    await expectLargeTargets(visitor)
    await expectNoHorizontalScroll(visitor)
    for (const name of ['Vote', 'Edit', 'Delete']) {
      await page.getByRole('button', { name, exact: true }).click()
      await page.getByRole('dialog').waitFor()
      await expectAccessible(visitor, { inDark: true })
      await page.getByRole('button', { name: 'Close' }).click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
  })

  test('creates a poll with options, a veto and an end', async () => {
    await clear()
    const visitor = await open('chat')
    const { page } = visitor
    await page.getByText('No polls yet.').waitFor()
    await page.getByRole('button', { name: 'Add poll' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await dialog.getByText('Enter a question.').waitFor()
    await dialog.getByLabel('Question').fill('Move the desk?')
    await dialog.getByRole('textbox', { name: 'Option 1', exact: true }).fill('yes')
    await dialog.getByRole('textbox', { name: 'Colour of option 1' }).fill('#6f9e5e')
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await dialog.getByText('Give each option a name.').waitFor()
    await dialog.getByRole('textbox', { name: 'Option 2', exact: true }).fill('no')
    await dialog.getByRole('button', { name: 'Add option' }).click()
    await dialog.getByRole('textbox', { name: 'Option 3', exact: true }).fill('never')
    await dialog.getByLabel('Option 3 is a veto').check()
    await dialog.getByLabel('Voting ends').check()
    await dialog.getByLabel('Date').fill('2030-01-08')
    await expectAccessible(visitor)
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('link', { name: /^Move the desk\?/ }).waitFor()
    const [poll] = await system.ask<Poll[]>(`GET ${LIST}`)
    expect(poll).toMatchObject({
      name: 'Move the desk?',
      options: [
        { name: 'yes', color: '6f9e5e', veto: false },
        { name: 'no', color: null, veto: false },
        { name: 'never', color: null, veto: true },
      ],
    })
    expect(poll?.ends).toMatch(/^2030-01-0[789]/)
  })

  test('votes as a member, changes and withdraws the vote, and shows a veto', async () => {
    await clear()
    const poll = await create({})
    const [yes, no, never] = poll.options.map(({ id }) => id)
    const { page } = await open(`chat/poll/${poll.id}`)
    const dialog = page.getByRole('dialog')
    const vote = dialog.getByRole('button', { name: 'Vote', exact: true })
    const openSheet = async () => {
      await page.locator('main > .main').click()
      await dialog.waitFor()
    }
    await page.getByText('No votes yet.').waitFor()
    await openSheet()
    expect(await dialog.getByLabel('Who votes').inputValue()).toBe(wren)
    await vote.click()
    await dialog.getByText('Choose an option.').waitFor()
    await dialog.getByRole('button', { name: 'yes' }).click()
    await dialog.getByLabel('Comment').fill('finally')
    await vote.click()
    await page.getByText('Wren voted.').first().waitFor()
    await page.locator('.things li').nth(0).getByText('Wren: finally').waitFor()
    expect(await get(poll.id)).toMatchObject({
      counts: { [String(yes)]: 1 },
      votes: [{ member: wren, option: yes, comment: 'finally' }],
    })

    await openSheet()
    await dialog.getByText('Wren voted for “yes”.').waitFor()
    await dialog.getByRole('button', { name: 'no', exact: true }).click()
    await vote.click()
    await page.locator('.things li').nth(1).getByText('Wren: finally').waitFor()
    expect((await get(poll.id)).votes).toMatchObject([{ member: wren, option: no }])

    await openSheet()
    await dialog.getByLabel('Who votes').selectOption('Moss')
    await dialog.getByRole('button', { name: 'never · veto' }).click()
    await vote.click()
    await page.getByText('Veto by Moss.').waitFor()
    expect((await get(poll.id)).counts[String(never)]).toBe(1)

    await openSheet()
    await dialog.getByRole('button', { name: 'Withdraw' }).click()
    await page.getByText('The vote of Wren is withdrawn.').first().waitFor()
    expect((await get(poll.id)).votes.map(({ option }) => option)).toEqual([String(never)])
  })

  test('shows votes of others, and of deleted members, without a reload', async () => {
    await clear()
    const poll = await create({})
    const { id } = await system.ask<{ id: string }>('POST /v2/members', { name: 'Visitor' })
    const { page } = await open(`chat/poll/${poll.id}`)
    await page.getByText('No votes yet.').waitFor()
    await system.ask(`PUT /ext/v1/polls/${poll.id}/votes/${id}`, { option: poll.options[0]?.id })
    await page.locator('.things li').first().getByText('Visitor').waitFor()
    await system.ask(`DELETE /v2/members/${id}`)
    await page.reload()
    await page.locator('.things li').first().getByText('Visitor (deleted)').waitFor()
  })

  test('lists open polls first, and accepts no vote in a closed one', async () => {
    await clear()
    const open1 = await create({ name: 'Open one' })
    const closed = await create({ name: 'Closed one' })
    await voteAs(closed, 'Iris', 1)
    await system.ask(`PATCH /ext/v1/polls/${closed.id}`, { ends: '2026-01-08T10:00:00Z' })
    const visitor = await open('chat')
    const { page } = visitor
    const names = page.locator('section[aria-labelledby=polls] .things b')
    await names.first().waitFor()
    expect(await names.allTextContents()).toEqual(['Open one', 'Closed one'])
    await page.getByRole('link', { name: /^Closed one/ }).click()
    await page.getByRole('heading', { name: 'Closed one', level: 1 }).waitFor()
    await page.getByText(/^closed since .*2026.* · 1 vote$/).waitFor()
    await page.locator('.things li').nth(1).getByText('Iris').waitFor()
    expect(await page.getByRole('button', { name: 'Vote', exact: true }).count()).toBe(0)
    await expectAccessible(visitor)

    await page.goto(`${address}/#/chat/poll/${open1.id}`)
    await page.getByRole('button', { name: 'Vote', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'yes' }).click()
    // The poll ends while a vote is being given.
    await page.route(`**/polls/${open1.id}/votes/*`, async (route) => {
      await system.ask(`PATCH /ext/v1/polls/${open1.id}`, { ends: '2026-01-08T10:00:00Z' })
      await route.continue()
    })
    await dialog.getByRole('button', { name: 'Vote', exact: true }).click()
    await dialog.getByText('Voting has ended.').waitFor()
  })

  test('edits the options of a poll, says that votes go with them, and deletes the poll', async () => {
    await clear()
    const poll = await create({})
    await voteAs(poll, 'Wren', 0)
    await voteAs(poll, 'Iris', 1)
    const { page } = await open(`chat/poll/${poll.id}`)
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Edit' }).click()
    await dialog.getByRole('button', { name: 'Remove option 1' }).click()
    await dialog.getByText('Removing an option removes its votes.').waitFor()
    await dialog.getByRole('textbox', { name: 'Option 1', exact: true }).fill('not yet')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.locator('.things').getByText('not yet').waitFor()
    const { options, votes } = await get(poll.id)
    expect(options.map(({ name }) => name)).toEqual(['not yet', 'never'])
    expect(votes.map(({ option }) => option)).toEqual([String(poll.options[1]?.id)])
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Its vote is deleted too.').waitFor()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Poll deleted.').first().waitFor()
    expect(await system.ask<Poll[]>(`GET ${LIST}`)).toEqual([])
  })
})
