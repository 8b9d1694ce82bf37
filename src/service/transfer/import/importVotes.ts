import type { JsonObject } from '../../../model/core/entity'
import { textBytes } from '../../../model/core/textSize'
import { vote } from '../../../model/journal/poll'
import { writeVotes } from '../../../store/transfer/importExtRows'
import { lastOfEach, type OwnedRows, writeAll } from './importRows'
import { type ImportRun, leaveOut, NO_SPACE, NOT_IMPORTED, wants } from './importRun'
import type { ImportStep } from './importStep'

/** Votes of new polls. Those of existing polls stay as they are. */
export class Votes implements ImportStep {
  readonly reads = 'ext'
  #staged: JsonObject[] = []

  constructor(
    readonly run: ImportRun,
    readonly polls: OwnedRows,
  ) {}

  async plan(): Promise<void> {
    const { run, polls } = this
    const { deps, file, ids, report, space } = run
    if (!report.ext) return
    const tally = report.ext.votes
    if (!wants(run, 'polls')) {
      tally.left_out += file.ext.votes.length
      return
    }
    let [missing, above] = [0, 0]
    // One vote for each member and poll: the last one counts.
    for (const { refs, values } of await lastOfEach(run, 'votes', 'poll', 'member')) {
      await run.advance(0)
      const key = refs.poll ?? ''
      const poll_id = ids.polls.get(key)
      const option_id = polls.options.get(key)?.get(String(values.option))
      const member_id = refs.member === null ? null : ids.members.get(refs.member ?? '')
      if (poll_id !== undefined && !polls.added.has(key)) tally.unchanged += 1
      else if (poll_id === undefined || option_id === undefined || member_id === undefined)
        missing += 1
      else if (above > 0 || !space.take(textBytes(vote, values))) above += 1
      else {
        space.countStaged({ text_bytes: textBytes(vote, values) })
        const { comment = null, author_name = null, created = deps.now() } = values
        this.#staged.push({ poll_id, member_id, author_name, option_id, comment, created })
      }
    }
    tally.added += this.#staged.length
    leaveOut(run, 'votes', missing, NOT_IMPORTED)
    leaveOut(run, 'votes', above, NO_SPACE)
    await run.advance(file.ext.votes.length)
  }

  async stage(): Promise<void> {
    await writeAll(this.run, this.#staged, writeVotes)
    this.#staged = []
  }
}
