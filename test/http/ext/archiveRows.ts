import type { Value } from '../../../src/db/types'
import { insertAll } from '../../tools/rawSql'
import type { TestApp, TestSystem } from '../../tools/testApp'

let digests = 0

/** Archives rows of a system as an earlier release did. */
export async function archiveRows(
  { deps }: TestApp,
  { id: system_id }: TestSystem,
  collection: string,
  contents: readonly unknown[],
  more: Record<string, Value> = {},
): Promise<void> {
  const inserted = contents.map((content) => ({
    system_id,
    collection,
    content: JSON.stringify(content),
    digest: String(++digests),
    ...more,
  }))
  await deps.transact({ system: system_id }, (tx) => insertAll(tx, 'import_archive', inserted))
}
