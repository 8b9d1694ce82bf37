import { expect, test } from 'bun:test'
import { rows } from '../../rawSql'
import { createTestApp } from '../../testApp'
import { createBotFixtures } from './botFixture'
import {
  AUTOPROXY,
  autoproxy,
  guild,
  ignored,
  member,
  type ProxyScenarios,
  proxied,
  runProxyScenarios,
  sendMessage,
  spoke,
} from './proxyScenarios'

const here = createTestApp()
const makeStage = createBotFixtures(here)

const spaced = (text: string) => text.replaceAll('\\', '\\\u200B')
const latchOf = (who: string | null) => ({
  autoproxy_mode: 'latch',
  autoproxy_member: who && `<${who}>`,
})

const escapes: ProxyScenarios = {
  'a backslash keeps autoproxy away': {
    given: [autoproxy('member', 'heron')],
    say: '\\hello',
    is: ignored('escaped'),
  },
  'a tag that begins with a backslash still matches': {
    given: [autoproxy('latch'), member('wren', { proxy_tags: [{ prefix: '\\w' }] })],
    say: '\\w hello',
    is: proxied('wren', 'tags', { content: ' hello' }),
  },
  ...Object.fromEntries(
    ['\\\\', '\\\\hello', '\\\\[hello]', `${spaced('\\')}\\hello`].map((say) => [
      `${JSON.stringify(say)} unlatches`,
      {
        given: [autoproxy('latch'), spoke('finch')],
        say,
        is: { action: 'unlatch' },
        events: ['UPDATE_AUTOPROXY'],
        leaves: [AUTOPROXY, { ...latchOf(null), last_latch_timestamp: null }],
      },
    ]),
  ),
  'two backslashes are nothing special in other modes': {
    given: [autoproxy('member', 'heron')],
    say: '\\\\hello',
    is: ignored('escaped'),
  },
  'tags inside two backslashes do not match in other modes': {
    say: '\\\\[hello]',
    is: ignored('no_match'),
  },
  'a latch that holds nobody is let go without a word': {
    given: [autoproxy('latch')],
    say: '\\\\',
    is: { action: 'unlatch' },
    leaves: [AUTOPROXY, latchOf(null)],
  },
  ...Object.fromEntries(
    (['front', 'latch', 'member'] as const).map((mode) => [
      `three backslashes turn ${mode} off`,
      {
        given: [autoproxy(mode, mode === 'front' ? undefined : 'heron')],
        say: '\\\\\\[hello]',
        is: { action: 'autoproxy_off' },
        events: ['UPDATE_AUTOPROXY'],
        leaves: [
          AUTOPROXY,
          { autoproxy_mode: 'off', autoproxy_member: null, last_latch_timestamp: null },
        ],
      },
    ]),
  ),
  'three backslashes may have zero-width spaces between them': {
    given: [autoproxy('front')],
    say: `${spaced('\\\\')}\\`,
    is: { action: 'autoproxy_off' },
    events: ['UPDATE_AUTOPROXY'],
  },
  'what is off is turned off without a word': {
    say: '\\\\\\',
    is: { action: 'autoproxy_off' },
  },
  'an edited message may turn autoproxy off': {
    given: [autoproxy('front')],
    say: { content: '\\\\\\', is_edit: true },
    is: { action: 'autoproxy_off' },
    events: ['UPDATE_AUTOPROXY'],
  },
  'a dry run only says that it would unlatch': {
    given: [autoproxy('latch', 'finch')],
    say: { content: '\\\\', dry_run: true },
    is: { action: 'unlatch' },
    leaves: [AUTOPROXY, latchOf('finch')],
  },
  'a dry run only says that it would turn autoproxy off': {
    given: [autoproxy('latch', 'finch')],
    say: { content: '\\\\\\', dry_run: true },
    is: { action: 'autoproxy_off' },
    leaves: [AUTOPROXY, latchOf('finch')],
  },
  'a command in a disabled channel is none': {
    given: [autoproxy('latch', 'finch'), guild({ disabled_channels: ['<channel>'] })],
    say: '\\\\\\',
    is: ignored('channel_disabled'),
    leaves: [AUTOPROXY, latchOf('finch')],
  },
}

runProxyScenarios(here, makeStage, escapes)

test('unlatching does not undo a mode that was chosen meanwhile', async () => {
  const stage = await makeStage()
  await stage.doAll([autoproxy('latch'), spoke('finch')])
  const system = await numberOf(stage.fill('<system>'))
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const others = here.deps.transact({ system }, () => held)
  const chosen = stage.do(...autoproxy('member', 'heron'))
  await Bun.sleep(10)
  const unlatched = sendMessage(stage, '\\\\')
  await Bun.sleep(10)
  release()
  await Promise.all([others, chosen, unlatched])
  const chosenNow = stage.fill({ autoproxy_mode: 'member', autoproxy_member: '<heron>' })
  expect(await stage.do(`GET ${AUTOPROXY}`)).toMatchObject(chosenNow)
})

async function numberOf(hid: string): Promise<number> {
  const found = await rows<{ id: number }>(
    here.deps.db,
    'select id from systems where hid = :hid',
    { hid },
  )
  return found[0]?.id ?? 0
}
