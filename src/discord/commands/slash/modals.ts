import type { Entity } from '../../../model/core/entity'
import { escapeMarkdown } from '../../messages/escape'
import type { Answer } from '../answer'
import { offerUndo } from '../ask'
import { isWorthUndo, parseFields } from '../handlers/fields'
import { requireOwn } from '../ownSystem'
import { Refusal } from '../refusal'
import { requireOwnSubject, type Subject } from '../subjects'
import type { SlashHandler } from './handlers'
import { textOf } from './option'

const MINUTES = 15
const LONG_TEXT = 200

/** Fields of each form; Discord allows five. */
const formFields = {
  system: ['name', 'tag', 'pronouns', 'color', 'description'],
  member: ['name', 'display_name', 'pronouns', 'birthday', 'description'],
  group: ['name', 'display_name', 'color', 'description'],
} as const

/** Opens a form with the main fields of an own system, member or group. */
export function editForm<E extends Entity, G extends Entity>(subject: Subject<E, G>): SlashHandler {
  const keys = formFields[subject.parameter]
  return async (context, options) => {
    const { texts, prompts, account, channel } = context
    const ref = textOf(options[subject.parameter])
    const { id, name, values, own } = await requireOwnSubject(context, subject, {
      values: ref === undefined ? {} : { [subject.parameter]: ref },
      lists: {},
      flags: new Set(),
    })
    const idOf = prompts.open(
      {
        account,
        minutes: MINUTES,
        onPress: async (answering, _, typed) => {
          const fieldTexts = Object.fromEntries(keys.map((key) => [key, typed[key]]))
          const patch = parseFields(answering, subject.entity, fieldTexts)
          const now = await requireOwn(answering)
          // The account may have been unlinked while the form was open.
          if (now.system.id !== own.system.id) throw new Refusal(texts.promptExpired)
          await subject.patch(answering, now, id, patch)
          const content = texts.changed(escapeMarkdown(name), texts.everything)
          const answer: Answer = { content, isPrivate: true }
          const before = new Map<string, unknown>(Object.entries(values))
          const lost = Object.entries(patch).filter(([key, value]) =>
            isWorthUndo(before.get(key), value),
          )
          if (lost.length === 0) return { answer }
          const old = Object.fromEntries(lost.map(([key]) => [key, before.get(key)]))
          const label = texts.labels.text.toLowerCase()
          return {
            answer: offerUndo(answering, answer, async () => {
              await subject.patch(answering, now, id, old as typeof patch)
              return { content: texts.undone(escapeMarkdown(name), label), isPrivate: true }
            }),
          }
        },
      },
      channel,
    )
    return {
      modal: {
        id: idOf('submit'),
        title: name.slice(0, 45),
        fields: keys.map((key) => {
          const { max = 40, required = false } = subject.entity.fields[key] ?? {}
          return {
            id: key,
            label: texts.fieldTitle(texts.fieldLabels[key]),
            value: String(values[key] ?? ''),
            isLong: max > LONG_TEXT,
            isRequired: required,
            maxLength: max,
          }
        }),
      },
    }
  }
}
