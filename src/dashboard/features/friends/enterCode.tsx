import { sharingStrings } from '../../texts/texts'
import { useLocalForm } from '../../ui/form/formState'
import { Form, TextField } from '../../ui/form/textField'
import { readCode } from './friends'

/** Opens an invitation by its code, for servers whose invitations have no link. */
export function EnterCode() {
  const form = useLocalForm({
    id: 'invite',
    values: { code: '' },
    check: ({ code }) => (readCode(code) === '' ? { code: sharingStrings.noCode } : {}),
    async save({ code }) {
      location.hash = `#/friend/${encodeURIComponent(readCode(code))}`
    },
  })
  return (
    <Form class="card" onSubmit={form.onSubmit}>
      <h2>{sharingStrings.enterCode}</h2>
      <TextField
        {...form.field('code')}
        label={sharingStrings.code}
        hint={sharingStrings.enterCodeMore}
        input={{ dir: 'ltr', autocapitalize: 'off', spellcheck: false }}
      />
      <div>
        <button type="submit">{sharingStrings.continue}</button>
      </div>
    </Form>
  )
}
