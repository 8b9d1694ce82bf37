import { discordBot } from '../../../src/model/privacy'
import { findCommandHash, storeCommandHash } from '../../../src/service/discord/commandHashes'
import {
  deleteGatewaySession,
  listGatewaySessions,
  storeGatewaySessions,
} from '../../../src/service/discord/sessions'
import { describe, expect, test } from '../../test'
import { createTestApp } from '../../testApp'

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
    const everywhere = { application: '1', scope: 'global' }
    const scopes = [
      everywhere,
      { ...everywhere, scope: '200000000000000001' },
      { ...everywhere, application: '2' },
    ]
    const hashes = () =>
      Promise.all(scopes.map((scope) => findCommandHash(deps, discordBot, scope)))
    expect(await hashes()).toEqual([null, null, null])
    await storeCommandHash(deps, discordBot, everywhere, 'a')
    expect(await hashes()).toEqual(['a', null, null])
    await storeCommandHash(deps, discordBot, everywhere, 'b')
    expect(await hashes()).toEqual(['b', null, null])
  })
})
