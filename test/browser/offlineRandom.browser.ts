import type { Page } from 'playwright-core'
import { expect, withTimeout } from '../tools/test'
import { until } from '../tools/until'
import { startBrowser } from './tools/browser'
import { type Fate, startCutProxy } from './tools/cutProxy'
import { openRemembered, readQueue } from './tools/offlineTools'
import { shareTestServer } from './tools/testServer'
import { seedSystem } from './tools/testSystem'

/**
 * Random sequences of what people do while the network comes and goes. Afterwards the history of
 * the server must be what they did, with nothing doubled or lost.
 */
const browser = await startBrowser()
const testServer = await shareTestServer()
const proxy = await startCutProxy()
proxy.forwardTo(testServer.server.address)
const system = await seedSystem(testServer, 'Lantern Hill')

const { test } = withTimeout(600_000)

const SEQUENCES = Number(process.env.TEST_ROUNDS ?? 30)
const SEED = Number(process.env.OFFLINE_SEED ?? 20_260_701)
const people = ['Wren', 'Iris', 'Moss', 'Juno']

/** Mulberry32: small, and the same on every machine. */
function createRandom(seed: number) {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (end: number) => Math.floor(next() * end)
  return { below, pick: <T>(some: readonly T[]) => some[below(some.length)] as T }
}

type Random = ReturnType<typeof createRandom>

const actions = ['switch', 'join', 'stepBack', 'nobody', 'undo', 'reload', 'network'] as const
type Action = (typeof actions)[number]
const weighted: readonly Action[] = [...actions, 'switch', 'switch', 'join', 'network', 'undo']

/** Fates of requests that change switches. */
const fates: readonly Fate[] = ['pass', 'cut before', 'cut after', { status: 503 }, 'login page']

/** Fronters after each switch, oldest first. */
type Model = string[][]

const frontOf = (model: Model) => model.at(-1) ?? []

async function isShown(page: Page, front: readonly string[]): Promise<boolean> {
  const names = await page.locator('.here-now .name').allTextContents()
  return names.join() === front.join()
}

/** Waits until the page has stored a switch, which it shows before that. */
async function waitUntilStored(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Undo' }).waitFor()
}

async function choose(page: Page, name: string): Promise<void> {
  const chip = page.locator('main').getByRole('button', { name, exact: true })
  if (!(await chip.first().isVisible()))
    await page.getByRole('button', { name: /^Everyone/ }).click()
  await chip.first().click()
}

/** Performs an action on the page, and returns the history that it leads to. */
async function act(page: Page, model: Model, action: Action, random: Random): Promise<Model> {
  const front = frontOf(model)
  if (action === 'switch' || action === 'join') {
    const name = random.pick(people.filter((one) => !front.includes(one)))
    if (name === undefined || (action === 'join' && front.length === 0)) return model
    await choose(page, name)
    const label = action === 'switch' ? /^Switch to/ : /^Add alongside/
    await page.getByRole('button', { name: label }).click()
    await waitUntilStored(page)
    return [...model, action === 'switch' ? [name] : [...front, name]]
  }
  if (action === 'stepBack') {
    if (front.length < 2) return model
    const name = random.pick(front)
    await page.getByRole('button', { name: `${name} steps back` }).click()
    await waitUntilStored(page)
    return [...model, front.filter((one) => one !== name)]
  }
  if (action === 'nobody') {
    // Each action changes the front, so that the page shows when it is done.
    if (front.length === 0) return model
    await page.getByRole('button', { name: 'Nobody / not sure' }).click()
    await waitUntilStored(page)
    return [...model, []]
  }
  if (action === 'undo') {
    if (model.length < 2) return model
    // Found and clicked in one step, because the offer ends after ten seconds.
    const isDone = await page.getByRole('button', { name: 'Undo' }).evaluateAll((buttons) => {
      for (const button of buttons as { click(): void }[]) button.click()
      return buttons.length > 0
    })
    return isDone ? model.slice(0, -1) : model
  }
  if (action === 'reload') {
    await page.reload()
    await page.getByRole('heading', { name: 'Here now' }).waitFor()
    return model
  }
  changeNetwork(random)
  return model
}

/** Cuts the network, brings it back, or makes it unreliable. */
function changeNetwork(random: Random): void {
  const next = random.below(3)
  if (next === 0) proxy.cut()
  else proxy.restore()
  const isReliable = next === 1
  proxy.decide = (method, path) => {
    const isChange = path.startsWith('/ext/v1/systems/@me/switches/')
    return isReliable || !isChange || method === 'GET' ? 'pass' : random.pick(fates)
  }
}

test(`the history equals what people did in ${SEQUENCES} random sequences from seed ${SEED}`, async () => {
  await system.setSwitches([5, 'Wren'])
  const { page } = await openRemembered(browser, proxy, system)
  for (let sequence = 0; sequence < SEQUENCES; sequence++) {
    const random = createRandom(SEED + sequence)
    const performed: string[] = []
    let model: Model = (await system.history()).map(({ names }) => names).reverse()
    const count = 4 + random.below(5)
    for (let step = 0; step < count; step++) {
      const action = random.pick(weighted)
      model = await act(page, model, action, random)
      performed.push(action)
      const front = frontOf(model)
      await until(() => isShown(page, front))
    }
    proxy.restore()
    proxy.decide = () => 'pass'
    // As a browser reports that it is connected again.
    await page.evaluate(`dispatchEvent(new Event('online'))`)
    await until(async () => (await readQueue(page)).length === 0)
    const history = (await system.history()).map(({ names }) => names).reverse()
    expect({ sequence, performed, history }).toEqual({ sequence, performed, history: model })
    await until(() => isShown(page, frontOf(model)))
    if (model.length > 40) {
      await system.setSwitches([5, 'Wren'])
      await until(() => isShown(page, ['Wren']))
    }
  }
})
