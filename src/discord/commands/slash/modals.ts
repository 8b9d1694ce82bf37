import type { Entity, Patch } from '../../../model/entity'
import { group as groupEntity } from '../../../model/group'
import { member as memberEntity } from '../../../model/member'
import { system as systemEntity } from '../../../model/system'
import { Problem } from '../../../model/validation'
import { patchGroup } from '../../../service/groups'
import { patchMember } from '../../../service/members'
import { patchSystem } from '../../../service/systems'
import { escapeMarkdown } from '../../messages/escape'
import type { Answer } from '../answer'
import type { Context } from '../context'
import type { Arguments } from '../grammar/matchCommand'
import { requireOwn } from '../ownSystem'
import { resolveOwnGroup, resolveOwnMember } from '../references'
import { Refusal } from '../refusal'
import { viewGroup, viewMember, viewSystem } from '../views'
import { parseBirthday } from '../when'

const MINUTES = 15
const LONG_TEXT = 200

/** Fields of a form; Discord allows five. */
const systemFields = ['name', 'tag', 'pronouns', 'color', 'description'] as const
const memberFields = ['name', 'display_name', 'pronouns', 'birthday', 'description'] as const
const groupFields = ['name', 'display_name', 'color', 'description'] as const

interface Form<E extends Entity> {
  readonly title: string
  readonly entity: E
  readonly keys: readonly (keyof E['fields'] & string)[]
  readonly values: Readonly<Record<string, unknown>>
  readonly write: (context: Context, patch: Patch<E>) => Promise<unknown>
}

export async function editSystemForm(context: Context): Promise<Answer> {
  const own = await requireOwn(context)
  const values = await viewSystem(context, own.viewer, '@me')
  return openForm(context, {
    title: values.name ?? context.texts.unnamedSystem,
    entity: systemEntity,
    keys: systemFields,
    values: { ...values },
    write: async (answering, patch) =>
      patchSystem(context.deps, (await requireOwn(answering)).viewer, '@me', patch),
  })
}

export async function editMemberForm(
  context: Context,
  { values, flags }: Arguments,
): Promise<Answer> {
  const { id, own } = await resolveOwnMember(context, values.member ?? '', flags)
  const member = await viewMember(context, own.viewer, id)
  return openForm(context, {
    title: member.name,
    entity: memberEntity,
    keys: memberFields,
    values: { ...member },
    write: async (answering, patch) =>
      patchMember(context.deps, (await requireOwn(answering)).viewer, id, patch),
  })
}

export async function editGroupForm(
  context: Context,
  { values, flags }: Arguments,
): Promise<Answer> {
  const { id, own } = await resolveOwnGroup(context, values.group ?? '', flags)
  const group = await viewGroup(context, own.viewer, id)
  return openForm(context, {
    title: group.name,
    entity: groupEntity,
    keys: groupFields,
    values: { ...group },
    write: async (answering, patch) =>
      patchGroup(context.deps, (await requireOwn(answering)).viewer, id, patch),
  })
}

function openForm<E extends Entity>(context: Context, form: Form<E>): Answer {
  const { texts, prompts } = context
  const idOf = prompts.open(
    {
      account: context.account,
      minutes: MINUTES,
      onPress: async (answering, _, fields) => {
        await form.write(answering, parseForm(answering, form, fields))
        const changed = texts.changed(escapeMarkdown(form.title), texts.everything)
        return { answer: { content: changed, isPrivate: true } }
      },
    },
    context.channel,
  )
  const labels: Readonly<Record<string, string>> = texts.fieldLabels
  return {
    modal: {
      id: idOf('submit'),
      title: form.title.slice(0, 45),
      fields: form.keys.map((key) => {
        const { max = 40, required = false } = form.entity.fields[key] ?? {}
        return {
          id: key,
          label: labels[key] ?? key,
          value: String(form.values[key] ?? ''),
          isLong: max > LONG_TEXT,
          isRequired: required,
          maxLength: max,
        }
      }),
    },
  }
}

/** Parses all fields of a form, and names every problem. */
function parseForm<E extends Entity>(
  { texts }: Context,
  { entity, keys }: Form<E>,
  fields: Readonly<Record<string, string>>,
): Patch<E> {
  const labels: Readonly<Record<string, string>> = texts.fieldLabels
  const patch: Record<string, unknown> = {}
  const problems: string[] = []
  for (const key of keys) {
    const typed = fields[key]?.trim()
    const field = entity.fields[key]
    if (typed === undefined || !field) continue
    const value = field.parse(normalize(field.kind, typed))
    if (value instanceof Problem)
      problems.push(texts.invalidValue(labels[key] ?? key, value.message, value.actual_length))
    else patch[key] = value
  }
  if (problems.length > 0) throw new Refusal(problems.join('\n'))
  return patch as Patch<E>
}

function normalize(kind: string, typed: string): string {
  if (kind === 'color') return typed.replace(/^#/, '')
  return kind === 'date' ? (parseBirthday(typed) ?? typed) : typed
}
