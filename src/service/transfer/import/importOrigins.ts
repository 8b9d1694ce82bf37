import type { Db } from '../../../db/types'
import { batches } from '../../../formats/chunks'
import { getSystemById } from '../../../store/systems/systemRows'
import {
  countOrigins,
  findOrigins,
  insertOrigins,
  ORIGINS_AT_ONCE,
  type OriginRow,
  originKey,
  replaceOrigins,
} from '../../../store/transfer/originRows'
import { writeInBatches } from '../../systems/staging'
import type { Entities } from './importEntities'
import type { ImportRun } from './importRun'
import type { ImportStep } from './importStep'
import type { KnownOrigins } from './knownOrigins'

/** Maximum number of origins of a system: enough for all rows that it may have. */
const MAX_ORIGINS = 500_000

/**
 * Origins of everything that is imported. Those of members and groups are written last, when their
 * UUIDs are known, and so are changed ones.
 */
export class Origins implements ImportStep {
  readonly reads = 'origins'
  #staged: OriginRow[] = []
  /** Origins that exist with another target. */
  readonly #changed: OriginRow[] = []

  constructor(
    readonly run: ImportRun,
    readonly known: KnownOrigins,
    readonly entities: Entities,
  ) {}

  async plan(): Promise<void> {
    const { run, known } = this
    const { head, members, groups, origins } = run.file
    const ofEntities = new Set(
      [head.system, ...members, ...groups].flatMap(({ uuid }) => uuid ?? []),
    )
    const ofRows = origins.filter(({ target }) => !ofEntities.has(target))
    const all = [
      ...known.added,
      ...ofRows.map((row) => ({ ...row, target: known.uuidHere(row.target) })),
    ]
    await known.load(all)
    const added = new Map<string, OriginRow>()
    for (const row of all) {
      const target = known.targetOf(row)
      if (target === undefined) added.set(originKey(row), row)
      else if (target !== row.target) this.#changed.push(row)
      await run.advance(0)
    }
    if (added.size === 0) return
    const stored = await countOrigins(run.deps.db, run.systemId ?? 0)
    this.#staged = [...added.values()].slice(0, Math.max(0, MAX_ORIGINS - stored))
  }

  async stage(): Promise<void> {
    if (this.#staged.length === 0) return
    const staging = await this.run.staging()
    const rows = [...batches(this.#staged, ORIGINS_AT_ONCE)]
    await writeInBatches(this.run.deps, staging, rows, (tx, batch) =>
      insertOrigins(tx, staging, batch),
    )
  }

  async apply(tx: Db, systemId: number): Promise<boolean> {
    const { file, options } = this.run
    const { head } = file
    const here = new Map<string, string>()
    const rows = [...this.#changed]
    const { uuid } = await getSystemById(tx, systemId)
    if (head.system.uuid) here.set(head.system.uuid, uuid)
    if (head.system.origin) rows.push({ ...head.system.origin, target: uuid })
    for (const part of ['members', 'groups'] as const)
      for (const { incoming, found } of this.entities[part]) {
        const target = found?.uuid ?? this.entities.assignedUuids.get(`${part} ${incoming.key}`)
        if (target === undefined) continue
        if (incoming.uuid) here.set(incoming.uuid, target)
        if (incoming.origin) rows.push({ ...incoming.origin, target })
      }
    for (const { target, ...origin } of file.origins) {
      const now = here.get(target)
      if (now !== undefined && options.only === null) rows.push({ ...origin, target: now })
    }
    const targets = await findOrigins(tx, systemId, rows)
    const fresh = new Map(
      rows.flatMap((row) => {
        const key = originKey(row)
        return targets.get(key) === row.target ? [] : [[key, row]]
      }),
    )
    if (fresh.size === 0) return false
    await replaceOrigins(tx, systemId, [...fresh.values()])
    return true
  }
}
