import { rows } from '../../tools/rawSql'
import { expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'
import { until } from '../../tools/until'
import { createBotFixtures } from './botFixture'
import {
  AUTOPROXY,
  autoproxy,
  guild,
  ignored,
  member,
  type ProxyScenarios,
  proxied,
  recordMessageStep,
  runProxyScenarios,
  sendMessage,
} from './proxyScenarios'

const testApp = createTestApp()
const createBotFixture = createBotFixtures(testApp)

const withZeroWidthSpaces = (text: string) => text.replaceAll('\\', '\\\u200B')
const latchedTo = (who: string | null) => ({
  autoproxy_mode: 'latch',
  autoproxy_member: who && `<${who}>`,
})

const escapes: ProxyScenarios = {
  'a message that begins with a backslash is not autoproxied': {
    given: [autoproxy('member', 'heron')],
    message: '\\hello',
    decision: ignored('escaped'),
  },
  'a tag that begins with a backslash still matches': {
    given: [autoproxy('latch'), member('wren', { proxy_tags: [{ prefix: '\\w' }] })],
    message: '\\w hello',
    decision: proxied('wren', 'tags', { content: ' hello' }),
  },
  ...Object.fromEntries(
    ['\\\\', '\\\\hello', '\\\\[hello]', `${withZeroWidthSpaces('\\')}\\hello`].map((message) => [
      `${JSON.stringify(message)} clears the latch`,
      {
        given: [autoproxy('latch'), recordMessageStep('finch')],
        message,
        decision: { action: 'unlatch' },
        events: ['UPDATE_AUTOPROXY'],
        after: [AUTOPROXY, { ...latchedTo(null), last_latch_timestamp: null }],
      },
    ]),
  ),
  'two backslashes have no special meaning in other autoproxy modes': {
    given: [autoproxy('member', 'heron')],
    message: '\\\\hello',
    decision: ignored('escaped'),
  },
  'tags after two backslashes do not match in other autoproxy modes': {
    message: '\\\\[hello]',
    decision: ignored('no_match'),
  },
  'clearing an empty latch records no event': {
    given: [autoproxy('latch')],
    message: '\\\\',
    decision: { action: 'unlatch' },
    after: [AUTOPROXY, latchedTo(null)],
  },
  ...Object.fromEntries(
    (['front', 'latch', 'member'] as const).map((mode) => [
      `three backslashes turn off the autoproxy mode ${mode}`,
      {
        given: [autoproxy(mode, mode === 'front' ? undefined : 'heron')],
        message: '\\\\\\[hello]',
        decision: { action: 'autoproxy_off' },
        events: ['UPDATE_AUTOPROXY'],
        after: [
          AUTOPROXY,
          { autoproxy_mode: 'off', autoproxy_member: null, last_latch_timestamp: null },
        ],
      },
    ]),
  ),
  'three backslashes turn autoproxy off with zero-width spaces between them': {
    given: [autoproxy('front')],
    message: `${withZeroWidthSpaces('\\\\')}\\`,
    decision: { action: 'autoproxy_off' },
    events: ['UPDATE_AUTOPROXY'],
  },
  'turning off autoproxy that is off records no event': {
    message: '\\\\\\',
    decision: { action: 'autoproxy_off' },
  },
  'an edited message may turn autoproxy off': {
    given: [autoproxy('front')],
    message: { content: '\\\\\\', is_edit: true },
    decision: { action: 'autoproxy_off' },
    events: ['UPDATE_AUTOPROXY'],
  },
  'a dry run reports that it would clear the latch and changes nothing': {
    given: [autoproxy('latch', 'finch')],
    message: { content: '\\\\', dry_run: true },
    decision: { action: 'unlatch' },
    after: [AUTOPROXY, latchedTo('finch')],
  },
  'a dry run reports that it would turn autoproxy off and changes nothing': {
    given: [autoproxy('latch', 'finch')],
    message: { content: '\\\\\\', dry_run: true },
    decision: { action: 'autoproxy_off' },
    after: [AUTOPROXY, latchedTo('finch')],
  },
  'backslash commands are ignored in a disabled channel': {
    given: [autoproxy('latch', 'finch'), guild({ disabled_channels: ['<channel>'] })],
    message: '\\\\\\',
    decision: ignored('channel_disabled'),
    after: [AUTOPROXY, latchedTo('finch')],
  },
}

runProxyScenarios(testApp, createBotFixture, escapes)

test('clearing the latch does not undo a mode that was set meanwhile', async () => {
  const fixture = await createBotFixture()
  await fixture.doAll([autoproxy('latch'), recordMessageStep('finch')])
  const system = await findSystemId(fixture.fill('<system>'))
  const begun = Promise.withResolvers<void>()
  const { promise: blocked, resolve: release } = Promise.withResolvers<void>()
  const { writeStats } = testApp.app.storage
  const blocking = testApp.deps.transact({ system }, () => {
    begun.resolve()
    return blocked
  })
  // Otherwise the next write could be part of the same commit, and never wait.
  await begun.promise
  const chosen = fixture.do(...autoproxy('member', 'heron'))
  await until(() => writeStats.waiting >= 1)
  const unlatched = sendMessage(fixture, '\\\\')
  await until(() => writeStats.waiting >= 2)
  release()
  await Promise.all([blocking, chosen, unlatched])
  const chosenNow = fixture.fill({ autoproxy_mode: 'member', autoproxy_member: '<heron>' })
  expect(await fixture.do(`GET ${AUTOPROXY}`)).toMatchObject(chosenNow)
})

async function findSystemId(hid: string): Promise<number> {
  const found = await rows<{ id: number }>(
    testApp.deps.db,
    'select id from systems where hid = :hid',
    { hid },
  )
  return found[0]?.id ?? 0
}
