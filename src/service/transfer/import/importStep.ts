import type { Db } from '../../../db/types'
import type { FilePart } from './importedFile'

/** One kind of data of an import. It keeps what it has planned until it is written. */
export interface ImportStep {
  /** Last part of the file that the step needs. It is planned once for each batch of a long list. */
  readonly reads: FilePart
  /** Decides what is imported, and counts it in the report. */
  plan?(): Promise<void>
  /** Writes new rows in short transactions. They stay hidden until the import is committed. */
  stage?(): Promise<void>
  /** Writes the rest, in the last transaction. Returns whether anything changed. */
  apply?(tx: Db, systemId: number): Promise<boolean>
  /** Deletes what is not needed after the import, or after its failure. */
  cleanUp?(isCommitted: boolean): Promise<void>
}
