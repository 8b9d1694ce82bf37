import type { Origin } from '../../../formats/bundle'
import { batches } from '../../../formats/chunks'
import {
  findOrigins,
  ORIGINS_AT_ONCE,
  type OriginRow,
  originKey,
} from '../../../store/transfer/originRows'
import type { ImportRun } from './importRun'

/** Origins of rows that were imported before, and those that the import adds. */
export class KnownOrigins {
  readonly #targets = new Map<string, string>()
  /** Origins of rows of the extension API. */
  readonly #added: OriginRow[] = []
  /** New UUIDs of rows of the extension API by those in the file, which were not free. */
  readonly #replaced = new Map<string, string>()

  constructor(readonly run: ImportRun) {}

  async load(origins: readonly Origin[]): Promise<void> {
    const { deps, systemId, advance } = this.run
    if (systemId === null) return
    for (const batch of batches(origins, ORIGINS_AT_ONCE)) {
      const unknown = batch.filter((origin) => this.targetOf(origin) === undefined)
      for (const [key, target] of await findOrigins(deps.db, systemId, unknown))
        this.#targets.set(key, target)
      await advance(0)
    }
  }

  /** Returns the UUID of a row that was imported before. */
  readonly targetOf = (origin: Origin): string | undefined => this.#targets.get(originKey(origin))

  add(origin: OriginRow): void {
    this.#added.push(origin)
  }

  replace(uuid: string, here: string): void {
    this.#replaced.set(uuid, here)
  }

  /** Origins of rows of the extension API, with their UUIDs here. */
  get added(): readonly OriginRow[] {
    return this.#added
  }

  /** Returns the UUID that a row of the extension API has here. */
  uuidHere(uuid: string): string {
    return this.#replaced.get(uuid) ?? uuid
  }
}
