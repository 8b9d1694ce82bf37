import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { autoproxy } from '../src/model/autoproxy'
import type { Entity } from '../src/model/entity'
import type { Field } from '../src/model/field'
import { group } from '../src/model/group'
import { guild, memberGuild, systemGuild } from '../src/model/guild'
import { member } from '../src/model/member'
import { listAccessRules } from '../src/model/privacy'
import { settings } from '../src/model/settings'
import { system } from '../src/model/system'
import { endpoints, nouns, type Promised } from './interface'
import { document } from './openapiDocument'

const entities: Record<string, Entity> = {
  system,
  member,
  group,
  settings,
  autoproxy,
  systemGuild,
  memberGuild,
  guild,
}

const HERE = 'test/interface.ts'

/** Where scenes are told that tests play. */
const scenes = ['events/changes.ts', 'http/bot/proxyScenarios.ts', 'http/bot/botFixture.ts']

describe('the interface is what clients were promised', () => {
  test('about every noun', () => {
    expect(Object.keys(nouns).toSorted()).toEqual(Object.keys(entities).toSorted())
  })

  test.each(Object.entries(entities))('every field of a %s', (name, { entries }) => {
    const promised = nouns[name]?.fields ?? {}
    const broken: string[] = []
    for (const [key, field] of entries) {
      const facts = JSON.stringify(factsOf(field))
      if (!promised[key])
        broken.push(`${name}.${key} is new. If clients may rely on it, say so in ${HERE}: ${facts}`)
      else if (!Bun.deepEquals(promised[key], factsOf(field)))
        broken.push(
          `${name}.${key} is now ${facts}, but ${HERE} promises ${JSON.stringify(promised[key])}`,
        )
    }
    for (const key of Object.keys(promised))
      if (!entries.some(([known]) => known === key))
        broken.push(`${name}.${key} is gone, but ${HERE} promises it`)
    expect(broken).toEqual([])
  })

  test.each(Object.entries(entities))('every privacy level of a %s', (name, { levels }) => {
    const promised = nouns[name]?.levels ?? []
    const broken = [
      ...levels
        .filter((level) => !promised.includes(level))
        .map((level) => `${name} has a new level, ${level}. Say so in ${HERE}, under levels`),
      ...promised
        .filter((level) => !levels.includes(level))
        .map((level) => `${name} has no ${level} any more, but ${HERE} promises it`),
    ]
    expect(broken).toEqual([])
  })

  test.each(Object.entries(entities))(
    'a %s names no level that it does not have',
    (name, entity) => {
      const broken = entity.entries
        .filter(([, { guard }]) => guard !== undefined && !entity.levels.includes(guard))
        .map(
          ([key, { guard }]) =>
            `${name}.${key} is guarded by ${guard}: add that to the levels of ${name}, in src/model/`,
        )
      expect(broken).toEqual([])
    },
  )

  test.each(Object.entries(entities))('every level of a %s hides something', (name, entity) => {
    const guards = entity.entries.map(([, { guard }]) => guard)
    const closing = Object.values(listAccessRules).map(({ level }): string => level)
    // What is not visible is in no list of others.
    const hiding = new Set([...guards, ...closing, 'visibility'])
    const idle = entity.levels.filter((level) => !hiding.has(level))
    expect(
      idle.map(
        (level) =>
          `${level} of ${name} hides nothing: make it the guard of a field, or a line in gates, in src/model/privacy.ts`,
      ),
    ).toEqual([])
  })
})

describe('the endpoints are those that clients were promised', () => {
  const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )

  test('and no other', () => {
    const joined = documented.filter((line) => !endpoints.includes(line))
    expect(
      joined.map((line) => `${line} is new: add it to the endpoints in ${HERE}, and test it`),
    ).toEqual([])
  })

  test('and all of them', () => {
    const left = endpoints.filter((line) => !documented.includes(line))
    expect(
      left.map(
        (line) =>
          `${line} is promised in ${HERE}, but no route has it: is its file used in the index.ts of its wire?`,
      ),
    ).toEqual([])
    expect(endpoints.length).toBe(new Set(endpoints).size)
  })

  test('and each is asked by a test', () => {
    const folder = import.meta.dir
    const tests = [...new Bun.Glob('**/*.test.ts').scanSync(folder), ...scenes]
    const text = tests.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n')
    const unasked = documented.filter((line) => !patternOf(line).test(text))
    expect(unasked.map((line) => `${line} is asked by no test: play it in test/http/`)).toEqual([])
  })
})

/** Any name may stand for a parameter, and version 2 goes without saying. */
function patternOf(line: string): RegExp {
  const path = line.replaceAll(/\{\w+\}|@me/g, '[^/?\'"`]+').replace('/v2', '(/v2)?')
  return new RegExp(`${path}['"\`?]`)
}

/** What is promised of a field, as far as it is not what goes without saying. */
function factsOf(field: Field): Promised {
  const { kind, defaultValue, max, choices, guard, fallback, ownerOnly } = field
  const { maxLength: maxEach } = (field.schema.items ?? {}) as { maxLength?: number }
  return {
    holds: kind,
    ...(defaultValue !== null && !field.required && { initial: defaultValue }),
    ...(max !== undefined && { max }),
    ...(maxEach !== undefined && { maxEach }),
    ...(choices && { choices: [...choices] }),
    ...(field.required && { required: true }),
    ...(field.readonly && { readonly: true }),
    ...(guard && { guard }),
    ...(fallback && { standIn: fallback }),
    ...(ownerOnly && { ownerOnly }),
  }
}
