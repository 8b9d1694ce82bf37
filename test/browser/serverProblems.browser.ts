import type { Locator, Page } from 'playwright-core'
import { expect, test } from '../tools/test'
import { expectAccessible, startBrowser } from './tools/browser'
import { shareTestServer } from './tools/testServer'
import { describeDashboard } from './tools/testSystem'

const browser = await startBrowser()
const testServer = await shareTestServer()

interface Case {
  hash: string
  /** Opens the form and returns it. */
  open: (page: Page) => Promise<Locator>
  /** Labels of the fields with what is typed. */
  typed: Record<string, string>
  button: string
  /** Path of the request that the server refuses. */
  path: string
  /** Key of the problem, and the label of its field. */
  problems: Record<string, string>
}

const sheet = (button: string) => async (page: Page) => {
  await page.getByRole('button', { name: button, exact: true }).click()
  return page.getByRole('dialog')
}
const card = (heading: string) => async (page: Page) =>
  page.locator('form', { has: page.getByRole('heading', { name: heading }) })

const cases: Record<string, Case> = {
  'a room': {
    hash: 'chat',
    open: sheet('Add room'),
    typed: { Name: 'Plans' },
    button: 'Add',
    path: '**/ext/v1/systems/@me/rooms',
    problems: { name: 'Name', category: 'Category' },
  },
  'a poll': {
    hash: 'chat',
    open: sheet('Add poll'),
    typed: { Question: 'Tea?', 'Option 1': 'yes', 'Option 2': 'no' },
    button: 'Add',
    path: '**/ext/v1/systems/@me/polls',
    problems: { name: 'Question', 'options.1.name': 'Option 2' },
  },
  'a reminder': {
    hash: 'reminders',
    open: sheet('Add reminder'),
    typed: { Name: 'Tea' },
    button: 'Add',
    path: '**/ext/v1/systems/@me/reminders',
    problems: { every_days: 'Repeat every … days', from: 'From' },
  },
  'a custom field': {
    hash: 'fields',
    open: sheet('Add field'),
    typed: { Name: 'Role' },
    button: 'Add',
    path: '**/ext/v1/systems/@me/fields',
    problems: { name: 'Name' },
  },
  'a bucket': {
    hash: 'friends',
    open: sheet('Add bucket'),
    typed: { Name: 'Close' },
    button: 'Add',
    path: '**/ext/v1/buckets',
    problems: { emoji: 'Emoji', color: 'Colour' },
  },
  'an invitation': {
    hash: 'friends',
    open: sheet('Invite a friend'),
    typed: { Name: 'Sam' },
    button: 'Create invitation',
    path: '**/ext/v1/friends/invites',
    problems: { name: 'Name' },
  },
  'a friend link': {
    hash: 'friends',
    open: card('A link for a friend'),
    typed: { Name: 'Sam' },
    button: 'Add link',
    path: '**/v2/systems/@me/tokens',
    problems: { name: 'Name' },
  },
  'a member': {
    hash: 'members',
    open: sheet('Add a member'),
    typed: { Name: 'Fern' },
    button: 'Add',
    path: '**/v2/members',
    problems: { name: 'Name' },
  },
}

/** The name of an option is also that of its group. */
function fieldOf(form: Locator, label: string): Locator {
  return form.getByLabel(label, { exact: true }).and(form.locator('input'))
}

describeDashboard(browser, testServer, async ({ openPath }) => {
  test.each(Object.entries(cases))(
    'shows the problems of %s beside their fields',
    async (_, row) => {
      const visitor = await openPath(row.hash)
      const { page, context } = visitor
      await context.route(row.path, async (route) => {
        if (route.request().method() !== 'POST') return route.continue()
        const keys = Object.keys(row.problems)
        const errors = Object.fromEntries(keys.map((key) => [key, [{ message: `No ${key}.` }]]))
        await route.fulfill({ status: 400, json: { message: 'Error', code: 40001, errors } })
      })
      const form = await row.open(page)
      for (const [label, text] of Object.entries(row.typed)) await fieldOf(form, label).fill(text)
      await form.getByRole('button', { name: row.button, exact: true }).click()
      for (const [key, label] of Object.entries(row.problems)) {
        await form.getByText(`No ${key}.`).waitFor()
        const field = fieldOf(form, label)
        expect(await field.getAttribute('aria-invalid')).toBe('true')
        const ids = (await field.getAttribute('aria-describedby'))?.split(' ') ?? []
        const texts = await Promise.all(
          ids.map((id) => form.locator(`[id="${id}"]`).allTextContents()),
        )
        expect(texts.flat()).toContain(`No ${key}.`)
      }
      for (const [label, text] of Object.entries(row.typed))
        expect(await fieldOf(form, label).inputValue()).toBe(text)
      await expectAccessible(visitor)
    },
  )
})
