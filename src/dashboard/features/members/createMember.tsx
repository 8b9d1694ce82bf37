import type { ComponentChildren } from 'preact'
import { member } from '../../../model/members/member'
import { api } from '../../api/resources'
import { showToast } from '../../core/actions'
import { problemsOf } from '../../core/form'
import { memberWord, putMembers } from '../../core/store'
import { moreStrings, strings } from '../../texts/texts'
import { useLocalForm } from '../../ui/form/formState'
import { Form, TextField } from '../../ui/form/textField'
import { ProblemText } from '../../ui/problemText'
import { SubmitButton } from '../../ui/submitButton'

/** Creates a member from a name alone. */
export async function createMember(name: string): Promise<void> {
  const created = await api.v2Members.create({ name })
  if (!created) return
  putMembers([created])
  showToast({ text: strings.isAdded(name) })
}

/** Shown while the system has no members. */
export function EmptyState() {
  return (
    <section class="card">
      <h2>{strings.noMembers(memberWord.value)}</h2>
      <a class="button" href="#/import">
        {moreStrings.importMembers}
      </a>
      <NameForm label={strings.addFirst(memberWord.value)} onName={createMember} />
    </section>
  )
}

interface NameProps {
  label: string
  initial?: string
  onName: (name: string) => Promise<void>
  onTyped?: (name: string) => void
  /** Further fields. */
  children?: ComponentChildren
}

/** Form for a name, validated before it is sent. */
export function NameForm({ label, initial = '', onName, onTyped, children }: NameProps) {
  const form = useLocalForm({
    id: 'new',
    values: { name: initial },
    check: ({ name }) => ({
      // All names have the same limit.
      ...problemsOf(member, { values: { name: name.trim() } }),
      ...(name.trim() === '' && { name: strings.enterName }),
    }),
    save: ({ name }) => onName(name.trim()),
  })
  return (
    <Form onSubmit={form.onSubmit}>
      <TextField
        {...form.field('name')}
        label={strings.name}
        onChange={(name) => {
          form.change('name', name)
          onTyped?.(name)
        }}
      />
      {children}
      <ProblemText text={form.problem} />
      <SubmitButton isBusy={form.isBusy}>{label}</SubmitButton>
    </Form>
  )
}
