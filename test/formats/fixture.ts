import { readFileSync } from 'node:fs'
import type { Bundle, BundleGroup, BundleMember, ReadOptions } from '../../src/formats/bundle'
import { readFile } from '../../src/formats/read'

export function fixture(name: string): Uint8Array {
  return readFileSync(new URL(`./fixtures/${name}`, import.meta.url))
}

export function readFixture(name: string, options?: ReadOptions): Bundle {
  return readFile(fixture(name), options)
}

export function named<T extends BundleMember | BundleGroup>(list: readonly T[], name: string): T {
  const found = list.find(({ values }) => values.name === name)
  if (!found) throw new Error(`not found: ${name}`)
  return found
}

/** Returns repairs as lines that are easy to compare: kind, name, field and new value. */
export function repairsOf({ repairs }: Bundle): string[] {
  return repairs.map(({ kind, name, field, now }) => `${kind} ${name} ${field} → ${now}`)
}
