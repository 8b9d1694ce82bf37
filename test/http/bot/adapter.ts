import { expect } from 'bun:test'
import type { Platform } from '../../../src/model/platform'
import { createBot } from '../../operatorActions'
import type { Answer, TestApp } from '../../testApp'
import type { Json } from './botFixture'

/** A bot of some platform. */
export interface Adapter {
  readonly platform: Platform
  readonly authorization: string
  ask<T = Json>(line: string, body?: unknown, headers?: Record<string, string>): Promise<Answer<T>>
  /** The same for what must succeed: gives the answer's JSON. */
  do<T = Json>(line: string, body?: unknown, headers?: Record<string, string>): Promise<T>
  /** What is answered to what must not: status and code. */
  refusal(line: string, body?: unknown, headers?: Record<string, string>): Promise<number[]>
  /** A system with the member Wren, whose tag is `w:`, made for an account. */
  makeSystem(account?: string): Promise<Made>
}

export interface Made {
  system: string
  wren: string
  token: string
  /** For speaking on behalf of it. */
  behalf: { 'x-system': string }
}

let bots = 0

export async function makeAdapter(home: TestApp, platform: Platform): Promise<Adapter> {
  const authorization = `Bot ${await createBot(home.deps, `bot ${++bots}`, platform)}`
  const adapter: Adapter = {
    platform,
    authorization,
    ask: (line, body, headers = {}) =>
      home.ask(line, {
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
      const made = await adapter.do<{ system: { id: string }; token: string }>(
        'POST /bot/systems',
        { ...(account_id && { account_id }) },
      )
      const behalf = { 'x-system': made.system.id }
      const tags = [{ prefix: 'w:', suffix: null }]
      const wren = await adapter.do<{ id: string }>(
        'POST /v2/members',
        { name: 'Wren', proxy_tags: tags },
        behalf,
      )
      return { system: made.system.id, wren: wren.id, token: made.token, behalf }
    },
  }
  return adapter
}

/** One part of a path. */
export const part = encodeURIComponent
