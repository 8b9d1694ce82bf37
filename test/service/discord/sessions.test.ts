import { discordBot } from '../../../src/model/core/privacy'
import { listCommandHashes, storeCommandHash } from '../../../src/service/discord/commandHashes'
import {
  deleteGatewaySession,
  listGatewaySessions,
  storeGatewaySessions,
} from '../../../src/service/discord/sessions'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const { deps } = createTestApp()

describe('gateway sessions', () => {
  const session = (shard: number, sequence: number) => ({
    shard,
    shards: 2,
    session_id: `session-${shard}`,
    resume_url: 'wss://gateway.example',
    sequence,
  })

  test('are stored per shard, replaced by newer ones, and deleted', async () => {
    expect(await listGatewaySessions(deps, discordBot)).toEqual([])
    await storeGatewaySessions(deps, discordBot, [session(1, 5), session(0, 7)])
    await storeGatewaySessions(deps, discordBot, [session(0, 2 ** 40)])
    expect(await listGatewaySessions(deps, discordBot)).toEqual([
      session(0, 2 ** 40),
      session(1, 5),
    ])
    await deleteGatewaySession(deps, discordBot, 0)
    expect(await listGatewaySessions(deps, discordBot)).toEqual([session(1, 5)])
  })
})

describe('hashes of command definitions', () => {
  test('are stored per application and scope', async () => {
    const hashes = async (application: string) =>
      Object.fromEntries(await listCommandHashes(deps, discordBot, application))
    const everywhere = { application: '1', scope: 'global' }
    expect(await hashes('1')).toEqual({})
    await storeCommandHash(deps, discordBot, everywhere, 'a')
    await storeCommandHash(deps, discordBot, { ...everywhere, scope: '2' }, 'b')
    await storeCommandHash(deps, discordBot, everywhere, 'c')
    expect(await hashes('1')).toEqual({ global: 'c', '2': 'b' })
    expect(await hashes('2')).toEqual({})
  })
})
