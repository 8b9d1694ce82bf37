import { cutText, dropUnstorable } from '../../model/core/field/text'
import { reason } from '../../model/core/reason'
import { isObject } from '../../model/core/validation'
import { MAX_OPTIONS, poll, vote } from '../../model/journal/poll'
import type { Subject } from '../bundle'
import type { ImportLog } from '../importLog'
import { colorOf, nameOr, repairFields, textOf } from '../repair'
import type { ReadContext } from './readContext'
import { type AppRow, createdAt, timeOf } from './rows'

export function readPolls(context: ReadContext): void {
  for (const row of context.rows('polls')) readPoll(row, context)
}

/** A vote of the file. */
interface Vote {
  voter: string
  choice: string
  comment: string | undefined
}

interface Choice {
  id: string
  name: string
  color: string | null
  veto: boolean
}

const MAX_OPTION_NAME = 100

function readPoll(row: AppRow, context: ReadContext): void {
  const { log } = context
  const subject: Subject = { kind: 'poll', name: textOf(row.name) ?? null }
  const votes = votesOf(row.votes)
  const options = new PollOptions(row._id, subject, log)
  const items = listOf(row.options)
  const isCustom = row.custom === true || (row.custom !== false && items.length > 0)
  if (!isCustom) for (const name of ['yes', 'no', ...optionalChoices(row)]) options.add(name, null)
  const unread = items.filter((option) => {
    if (!isObject(option) || !isCustom) return true
    return !options.add(textOf(option.name), colorOf(option.color, subject, log))
  })
  const counted: { member: string; option: string; comment: string | undefined }[] = []
  const uncounted: Vote[] = []
  // One vote per member: the last one counts.
  for (const vote of new Map(votes.map((vote) => [vote.voter, vote])).values()) {
    const member = context.writer(vote.voter)
    const option = member === null ? null : options.find(vote.choice)
    if (member === null || option === null) uncounted.push(vote)
    else counted.push({ member, option: option.id, comment: vote.comment })
  }
  if (options.list.length === 0) {
    context.archiveRest('polls', row, null)
    return
  }
  if (unread.length > 0) {
    const why = reason('only_first', { max: MAX_OPTIONS })
    if (options.list.length >= MAX_OPTIONS) log.repair(subject, 'options', unread, null, why)
    log.archive('pollOptions', { poll: row._id, options: unread })
  }
  const created = createdAt(row, null)
  const { values } = context.add(
    'polls',
    poll,
    { collection: 'polls', id: row._id },
    { name: textOf(row.name), about: textOf(row.desc) },
    { subject, values: { options: options.list, ends: timeOf(row.endTime), created } },
  )
  values.name = nameOr(textOf(values.name), null, subject, log)
  for (const { member, option, comment } of counted)
    context.ext.votes.push({
      key: `${row._id} ${member}`,
      values: { option, created, ...repairFields(vote, { comment }, subject, log) },
      refs: { poll: row._id, member },
    })
  if (uncounted.length > 0) {
    const why = 'voters_archived'
    log.dropRow('votes', subject, 'votes', null, why, uncounted.length)
  }
  const rest = {
    ...row,
    votes: uncounted.map(({ voter: id, choice, comment }) => ({ id, vote: choice, comment })),
  }
  context.archiveRest('polls', rest, importedKeys)
}

const importedKeys = ['name', 'desc', 'custom', 'endTime', 'options', 'allowAbstain', 'allowVeto']

function optionalChoices({ allowAbstain, allowVeto }: AppRow): string[] {
  return [...(allowAbstain === true ? ['abstain'] : []), ...(allowVeto === true ? ['veto'] : [])]
}

/** Options of a poll. The key of an option is its ID until the service gives it one. */
class PollOptions {
  readonly list: Choice[] = []

  constructor(
    readonly poll: string,
    readonly subject: Subject,
    readonly log: ImportLog,
  ) {}

  add(text: string | undefined, color: string | null | undefined): Choice | null {
    const name = nameOfOption(text ?? '')
    if (!name || this.list.length >= MAX_OPTIONS) return null
    if (text !== undefined && text.trim().length > MAX_OPTION_NAME) {
      const why = reason('cut', { max: MAX_OPTION_NAME })
      this.log.repair(this.subject, 'options', text, name, why)
      this.log.archive('longTexts', { ...this.subject, field: 'options', text: text })
    }
    const isColor = typeof color === 'string' && /^[0-9a-f]{6}$/.test(color)
    const option = {
      id: `${this.poll} ${this.list.length}`,
      name,
      color: isColor ? color : null,
      veto: name.toLowerCase() === 'veto',
    }
    this.list.push(option)
    return option
  }

  /** Returns the option of a vote, and adds the option if the poll has none. */
  find(choice: string): Choice | null {
    const wanted = nameOfOption(choice).toLowerCase()
    const option = this.list.find(({ name }) => name.toLowerCase() === wanted)
    return option ?? this.add(choice, null)
  }
}

function listOf(options: unknown): unknown[] {
  if (Array.isArray(options)) return options
  return isObject(options) ? Object.values(options) : []
}

function nameOfOption(text: string): string {
  return cutText(dropUnstorable(text).trim(), MAX_OPTION_NAME).trim()
}

/** Reads votes: a list, an object keyed by member, or lists of members keyed by choice. */
function votesOf(votes: unknown): Vote[] {
  if (Array.isArray(votes))
    return votes.flatMap((vote) => {
      if (!isObject(vote)) return []
      return voteOf(textOf(vote.id), vote.vote, vote.comment)
    })
  if (!isObject(votes)) return []
  return Object.entries(votes).flatMap(([key, value]) => {
    if (Array.isArray(value))
      return value.flatMap((voter) =>
        isObject(voter) ? voteOf(textOf(voter.id), key, voter.comment) : voteOf(textOf(voter), key),
      )
    return isObject(value) ? voteOf(key, value.vote, value.comment) : voteOf(key, value)
  })
}

function voteOf(voter: string | undefined, choice: unknown, comment?: unknown): Vote[] {
  const text = textOf(choice)
  if (voter === undefined || text === undefined) return []
  return [{ voter, choice: text, comment: textOf(comment) }]
}
