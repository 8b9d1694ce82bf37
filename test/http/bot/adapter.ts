import type { Platform } from '../../../src/model/core/platform'
import { createBot } from '../../tools/operatorActions'
import { expect } from '../../tools/test'
import type { TestApp, TestResponse } from '../../tools/testApp'
import type { Json } from './botFixture'

/** Client with the key of a bot of one platform. */
export interface Adapter {
  readonly platform: Platform
  readonly authorization: string
  ask<T = Json>(
    line: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<TestResponse<T>>
  /** Sends a request that must succeed, and returns the JSON of the response. */
  do<T = Json>(line: string, body?: unknown, headers?: Record<string, string>): Promise<T>
  /** Sends a request that must fail, and returns status and error code. */
  refusal(line: string, body?: unknown, headers?: Record<string, string>): Promise<number[]>
  /** Creates a system, for an account if given, with the member Wren, whose tag is `w:`. */
  makeSystem(account?: string): Promise<CreatedSystem>
}

export interface CreatedSystem {
  system: string
  wren: string
  token: string
  /** Header for acting as this system. */
  behalf: { 'x-system': string }
}

let bots = 0

export async function createAdapter(testApp: TestApp, platform: Platform): Promise<Adapter> {
  const authorization = `Bot ${await createBot(testApp.deps, `bot ${++bots}`, platform)}`
  const adapter: Adapter = {
    platform,
    authorization,
    ask: (line, body, headers = {}) =>
      testApp.ask(line, {
        headers: { authorization, ...headers },
        ...(body !== undefined && { body }),
      }),
    async do<T>(line: string, body?: unknown, headers?: Record<string, string>) {
      const { status, text, json } = await adapter.ask<T>(line, body, headers)
      expect(status, `${line}: ${text}`).toBeLessThan(300)
      return json
    },
    async refusal(line, body, headers) {
      const { status, json } = await adapter.ask(line, body, headers)
      return [status, json?.code as number]
    },
    async makeSystem(account_id) {
      const created = await adapter.do<{ system: { id: string }; token: string }>(
        'POST /bot/systems',
        { ...(account_id && { account_id }) },
      )
      const behalf = { 'x-system': created.system.id }
      const tags = [{ prefix: 'w:', suffix: null }]
      const wren = await adapter.do<{ id: string }>(
        'POST /v2/members',
        { name: 'Wren', proxy_tags: tags },
        behalf,
      )
      return { system: created.system.id, wren: wren.id, token: created.token, behalf }
    },
  }
  return adapter
}

/** Encodes one segment of a path. */
export const part = encodeURIComponent
