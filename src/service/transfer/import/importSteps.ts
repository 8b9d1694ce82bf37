import type { Db } from '../../../db/types'
import { forEachOwned, type OwnedList, ownedLists } from '../../../model/ownedKinds'
import { commitStaging } from '../../../store/transfer/stagedRows'
import { Archive } from './importArchive'
import { BucketContents } from './importBuckets'
import { Entities } from './importEntities'
import { GroupTree } from './importGroupTree'
import { Guilds } from './importGuilds'
import { MemberExts } from './importMemberExts'
import { Origins } from './importOrigins'
import { Pictures } from './importPictures'
import { OwnedRows } from './importRows'
import type { ImportRun } from './importRun'
import type { ImportStep } from './importStep'
import { Switches } from './importSwitches'
import { Preferences, System } from './importSystem'
import { Values } from './importValues'
import { Votes } from './importVotes'
import { KnownOrigins } from './knownOrigins'

/**
 * The steps of an import in their order. A step uses the IDs and results of the steps before it; what
 * needs space for text gets it in this order.
 */
export function importSteps(run: ImportRun): ImportStep[] {
  const origins = new KnownOrigins(run)
  const entities = new Entities(run, origins)
  return [
    new System(run),
    new Pictures(run),
    entities,
    new Switches(run),
    new Archive(run),
    ...extSteps(run, origins, entities, new MemberExts(run, entities)),
    new Guilds(run),
    new Visibility(run),
    new Preferences(run),
  ]
}

/** The steps of what the extension API adds, with the origins of everything. */
export function extSteps(
  run: ImportRun,
  origins: KnownOrigins,
  entities: Entities,
  memberExts: MemberExts,
): ImportStep[] {
  const rows = forEachOwned((list) => new OwnedRows(run, origins, list))
  const after: Partial<Record<OwnedList, ImportStep>> = {
    fields: new Values(run, entities, rows.fields),
    polls: new Votes(run, rows.polls),
  }
  return [
    memberExts,
    new GroupTree(run, entities),
    ...ownedLists.flatMap((list) => [rows[list], after[list] ?? []].flat()),
    new BucketContents(run, entities, rows.buckets, rows.fields),
    run.space,
    new Origins(run, origins, entities),
  ]
}

/** Makes all rows of the import visible. */
export class Visibility implements ImportStep {
  readonly reads = 'head'

  constructor(readonly run: ImportRun) {}

  async apply(tx: Db): Promise<boolean> {
    if (!this.run.begun) return false
    await commitStaging(tx, this.run.begun)
    return true
  }
}
