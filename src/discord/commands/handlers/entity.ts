import type { Entity } from '../../../model/core/entity'
import { escapeMarkdown, formatCodeSpan } from '../../messages/escape'
import { confirmTyped } from '../ask'
import { formatShortId } from '../cards/formatShortId'
import type { Handler } from '../command'
import { findSubject, requireOwnSubject, type Subject } from '../subjects'
import { idStyle } from './common'
import { runPrivacy } from './privacy'

// Commands that systems, members and groups share.

export function showId<E extends Entity, G extends Entity>(subject: Subject<E, G>): Handler {
  return async (context, args) => {
    const { id } = await findSubject(context, subject, args)
    return { content: formatCodeSpan(formatShortId(id, await idStyle(context))) }
  }
}

/** Shows all privacy levels, or sets one or `all`. */
export function changePrivacy<E extends Entity, G extends Entity>(subject: Subject<E, G>): Handler {
  return async (context, args) => {
    const { id, own, name, values } = await requireOwnSubject(context, subject, args)
    return runPrivacy(context, args.values, {
      owner: name,
      entity: subject.entity,
      levels: values.privacy,
      write: (patch) =>
        subject.patch(context, own, id, patch as Parameters<typeof subject.patch>[3]),
    })
  }
}

/** Sets all privacy levels. */
export function setVisibility<E extends Entity, G extends Entity>(
  subject: Subject<E, G>,
  level: 'public' | 'private',
): Handler {
  const run = changePrivacy(subject)
  return (context, { values, ...args }) =>
    run(context, { ...args, values: { ...values, subject: 'all', level } })
}

/** Deletes a member or group after its ID was typed. */
export function removeSubject<E extends Entity, G extends Entity>(subject: Subject<E, G>): Handler {
  return async (context, args) => {
    const { id, own, name } = await requireOwnSubject(context, subject, args)
    const { texts } = context
    const question = texts.confirmDelete(escapeMarkdown(name), formatCodeSpan(id))
    return confirmTyped(context, question, id, async () => {
      await subject.delete(context, own, id)
      return { content: texts.deleted(escapeMarkdown(name)) }
    })
  }
}
