import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Entity } from '../../src/model/core/entity'
import type { Field } from '../../src/model/core/field'
import { listAccessRules } from '../../src/model/core/privacy'
import { group } from '../../src/model/groups/group'
import { member } from '../../src/model/members/member'
import { autoproxy } from '../../src/model/proxy/autoproxy'
import { guild, memberGuild, systemGuild } from '../../src/model/proxy/guild'
import { settings } from '../../src/model/systems/settings'
import { system } from '../../src/model/systems/system'
import { documentedLines } from '../tools/openapiDocument'
import { describe, expect, test } from '../tools/test'
import { endpoints, endpointsByApi } from './endpoints'
import { entityContracts, type FieldContract } from './interface'

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

const CONTRACT_FILE = 'test/contract/interface.ts'

describe('the interface contract', () => {
  test('the contract lists every entity', () => {
    expect(Object.keys(entityContracts).toSorted()).toEqual(Object.keys(entities).toSorted())
  })

  test.each(Object.entries(entities))(
    'every field of a %s matches the contract',
    (name, { entries }) => {
      const contract = entityContracts[name]?.fields ?? {}
      const violations: string[] = []
      for (const [key, field] of entries) {
        const actual = JSON.stringify(contractOf(field))
        if (!contract[key])
          violations.push(`${name}.${key} is new: add it to ${CONTRACT_FILE} as ${actual}`)
        else if (!Bun.deepEquals(contract[key], contractOf(field)))
          violations.push(
            `${name}.${key} is now ${actual}, but ${CONTRACT_FILE} has ${JSON.stringify(contract[key])}`,
          )
      }
      for (const key of Object.keys(contract))
        if (!entries.some(([known]) => known === key))
          violations.push(`${name}.${key} was removed, but ${CONTRACT_FILE} has it`)
      expect(violations).toEqual([])
    },
  )

  test.each(Object.entries(entities))(
    'every privacy level of a %s matches the contract',
    (name, { levels }) => {
      const contract = entityContracts[name]?.levels ?? []
      const violations = [
        ...levels
          .filter((level) => !contract.includes(level))
          .map(
            (level) =>
              `${name} has a new level, ${level}: add it to ${CONTRACT_FILE}, under levels`,
          ),
        ...contract
          .filter((level) => !levels.includes(level))
          .map((level) => `${name} has no ${level} any more, but ${CONTRACT_FILE} has it`),
      ]
      expect(violations).toEqual([])
    },
  )

  test.each(Object.entries(entities))(
    'the guards of a %s are among its privacy levels',
    (name, entity) => {
      const violations = entity.entries
        .filter(([, { guard }]) => guard !== undefined && !entity.levels.includes(guard))
        .map(
          ([key, { guard }]) =>
            `${name}.${key} is guarded by ${guard}: add that to the levels of ${name}, in src/model/`,
        )
      expect(violations).toEqual([])
    },
  )

  test.each(Object.entries(entities))(
    'every privacy level of a %s hides something',
    (name, entity) => {
      const guards = entity.entries.map(([, { guard }]) => guard)
      const listLevels = Object.values(listAccessRules).map(({ level }): string => level)
      // `visibility` hides rows from lists of other callers.
      const hiding = new Set([...guards, ...listLevels, 'visibility'])
      const unused = entity.levels.filter((level) => !hiding.has(level))
      expect(
        unused.map(
          (level) =>
            `${level} of ${name} hides nothing: make it the guard of a field, or a line in listAccessRules, in src/model/core/privacy.ts`,
        ),
      ).toEqual([])
    },
  )
})

describe('the endpoints of the contract', () => {
  const rows = Object.values(endpointsByApi).flatMap((api) => Object.keys(api))

  test('no endpoint is missing in the contract', () => {
    const added = documentedLines.filter((line) => !(line in endpoints))
    expect(
      added.map(
        (line) =>
          `${line} is new: add a row to the file of its API in test/endpoints, which endpoint.ts explains`,
      ),
    ).toEqual([])
  })

  test('every endpoint of the contract exists', () => {
    const removed = rows.filter((line) => !documentedLines.includes(line))
    expect(
      removed.map(
        (line) =>
          `${line} has a row in test/endpoints, but no route: is its file used in the index.ts of its folder?`,
      ),
    ).toEqual([])
    expect(rows.length).toBe(new Set(rows).size)
  })

  test('every endpoint is requested by a test', () => {
    const folder = join(import.meta.dir, '..')
    const files = [...new Bun.Glob('**/*.ts').scanSync(folder)]
    const tests = files.filter((file) => !file.startsWith('contract/endpoints/'))
    const text = tests.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n')
    const untested = Object.entries(endpoints).filter(
      ([line, row]) => !row.asks && !patternOf(line).test(text),
    )
    expect(
      untested.map(
        ([line]) => `${line} is requested by no test: add asks to its row, or a test in test/http/`,
      ),
    ).toEqual([])
  })
})

/** Matches any value of a parameter, with or without `/v2`. */
function patternOf(line: string): RegExp {
  const path = line.replaceAll(/\{\w+\}|@me/g, '[^/?\'"`]+').replace('/v2', '(/v2)?')
  return new RegExp(`${path}['"\`?]`)
}

/** Contract of a field, without defaults. */
function contractOf(field: Field): FieldContract {
  const { kind, defaultValue, max, choices, guard, fallback, ownerOnly } = field
  const { maxLength: maxEach } = (field.schema.items ?? {}) as { maxLength?: number }
  return {
    kind,
    ...(defaultValue !== null && !field.required && { defaultValue }),
    ...(max !== undefined && { max }),
    ...(maxEach !== undefined && { maxEach }),
    ...(choices && { choices: [...choices] }),
    ...(field.required && { required: true }),
    ...(field.readonly && { readonly: true }),
    ...(guard && { guard }),
    ...(fallback && { fallback }),
    ...(ownerOnly && { ownerOnly }),
  }
}
